public import WardText

/// The reason why a call of a vault failed.
///
/// Errors are equal if their codes are. Code and detail never contain a secret.
public struct VaultError: CodedError {
    /// The kind of problem.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// The passphrase is wrong.
        public static let wrongPassphrase = Self(name: "wrong_passphrase")
        /// The Secret Key on this device belongs to another vault.
        public static let wrongSecretKey = Self(name: "wrong_secret_key")
        /// There is no Secret Key on this device.
        ///
        /// So no passphrase opens the vault, but the recovery key does.
        public static let secretKeyMissing = Self(name: "secret_key_missing")
        /// The recovery key is well-formed, but belongs to another vault.
        public static let wrongRecoveryKey = Self(name: "wrong_recovery_key")
        /// The file requires a key derivation that is weaker or more expensive than allowed.
        public static let weakKeyDerivation = Self(name: "weak_key_derivation")
        /// A passphrase without a character.
        public static let emptyPassphrase = Self(name: "empty_passphrase")

        /// The file was changed by a bad disk, another program or a person.
        public static let damaged = Self(name: "damaged")
        /// The file is older than the one that this device saw last, or is another file.
        public static let rolledBack = Self(name: "rolled_back")
        /// A later version of Ward wrote the file.
        public static let unknownVersion = Self(name: "unknown_version")
        /// This device never opened the vault, or has lost its data about it.
        ///
        /// So it cannot say whether the file is the latest.
        public static let unknownDevice = Self(name: "unknown_device")

        /// The vault is from before proofs existed.
        ///
        /// So a person with the recovery key cannot see from the file whether the vault is theirs, and must decide.
        public static let unprovenVault = Self(name: "unproven_vault")
        /// The file is encrypted to the recovery key by a person who does not have that key.
        public static let forgedVault = Self(name: "forged_vault")

        /// A vault should be created, but there already is one.
        public static let vaultExists = Self(name: "vault_exists")
        /// There is no vault at this path.
        public static let vaultMissing = Self(name: "vault_missing")
        /// Another process has the vault open.
        public static let inUse = Self(name: "in_use")
        /// The vault is locked, or was locked during the call.
        public static let locked = Self(name: "locked")
        /// The vault was closed.
        public static let closed = Self(name: "closed")

        /// This device is not in the vault's circle of devices, so it cannot write: it was removed, or was restored from a copy.
        public static let notInCircle = Self(name: "not_in_circle")
        /// The vault has no circle of devices.
        public static let noCircle = Self(name: "no_circle")
        /// A change of the circle of devices needs the passphrase, even while the vault is unlocked.
        public static let passphraseNeeded = Self(name: "passphrase_needed")
        /// An item is encrypted with a vault key that this device was not given.
        public static let keyNotGiven = Self(name: "key_not_given")
        /// Entries of the vault have not arrived at this device yet.
        public static let vaultIncomplete = Self(name: "vault_incomplete")

        /// The item does not exist, or was permanently removed.
        public static let itemMissing = Self(name: "item_missing")
        /// The item was changed since it was read.
        public static let conflict = Self(name: "conflict")
        /// The item is larger than ``Item/maximumSize``.
        public static let itemTooLarge = Self(name: "item_too_large")
        /// A file to attach is larger than ``Attachment/maximumSize``.
        public static let attachmentTooLarge = Self(name: "attachment_too_large")
        /// An item would have more attachments than ``Attachment/maximumCount``, or more than ``Attachment/maximumTotal`` in them.
        public static let tooManyAttachments = Self(name: "too_many_attachments")
        /// The bytes are not an item in a form that this version can read.
        public static let malformedItem = Self(name: "malformed_item")

        /// The disk or the quota is full.
        ///
        /// The existing data is not damaged.
        public static let diskFull = Self(name: "disk_full")
        /// The file system or the database returned an error.
        public static let unavailable = Self(name: "unavailable")

        /// The vault is on a read-only file system.
        public static let readOnly = Self(name: "read_only")
        /// A file of the vault belongs to another user, or other users can change it.
        public static let unsafeFile = Self(name: "unsafe_file")
        /// A copy at this path would overwrite or damage something else.
        public static let unusablePath = Self(name: "unusable_path")
    }

    /// The kind of problem.
    public let code: Code
    /// The expected and the found value.
    public let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
