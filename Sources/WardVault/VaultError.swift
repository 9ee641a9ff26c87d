public import WardText

/// Why a vault did not do what was asked.
///
/// Errors are equal when their codes are. Neither code nor detail ever carries a secret.
public struct VaultError: CodedError {
    /// What stands in the way; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// The passphrase is not the vault's.
        public static let wrongPassphrase = Self(name: "wrong_passphrase")
        /// The Secret Key on this device belongs to another vault.
        public static let wrongSecretKey = Self(name: "wrong_secret_key")
        /// There is no Secret Key on this device, so no passphrase opens the vault; the recovery key does.
        public static let secretKeyMissing = Self(name: "secret_key_missing")
        /// The recovery key is well-formed and not the vault's.
        public static let wrongRecoveryKey = Self(name: "wrong_recovery_key")
        /// The file asks for a key derivation that is weaker, or dearer, than is ever accepted.
        public static let weakKeyDerivation = Self(name: "weak_key_derivation")
        /// A passphrase without a character.
        public static let emptyPassphrase = Self(name: "empty_passphrase")

        /// The file was changed by something that is not Ward: a bad disk, another program, a person.
        public static let damaged = Self(name: "damaged")
        /// The file is older than, or another than, the one this device saw last.
        public static let rolledBack = Self(name: "rolled_back")
        /// The file was written by a later version.
        public static let unknownVersion = Self(name: "unknown_version")
        /// This device never opened the vault, or lost its memory of it, so nobody can say whether the file is the latest.
        public static let unknownDevice = Self(name: "unknown_device")

        /// The vault is from before there were proofs: nothing tells the recovery key's holder that it is theirs, so a person
        /// must say so.
        public static let unprovenVault = Self(name: "unproven_vault")
        /// The file is sealed to the recovery key by somebody who does not have that key.
        public static let forgedVault = Self(name: "forged_vault")

        /// Where a vault was to be made there is one.
        public static let vaultExists = Self(name: "vault_exists")
        /// There is no vault at this place.
        public static let vaultMissing = Self(name: "vault_missing")
        /// Another process has the vault open.
        public static let inUse = Self(name: "in_use")
        /// The vault is locked, or was locked meanwhile.
        public static let locked = Self(name: "locked")
        /// The vault was closed.
        public static let closed = Self(name: "closed")

        /// There is no such item, or it was removed for good.
        public static let itemMissing = Self(name: "item_missing")
        /// The item was changed since it was read.
        public static let conflict = Self(name: "conflict")
        /// The item is larger than ``Item/maximumSize``.
        public static let itemTooLarge = Self(name: "item_too_large")
        /// A file to attach is larger than ``Attachment/maximumSize``.
        public static let attachmentTooLarge = Self(name: "attachment_too_large")
        /// An item would have more attachments than ``Attachment/maximumCount``, or more than ``Attachment/maximumTotal`` in them.
        public static let tooManyAttachments = Self(name: "too_many_attachments")
        /// Bytes that are not an item in a form this version reads.
        public static let malformedItem = Self(name: "malformed_item")

        /// The disk, or the quota, is full; what was there is unharmed.
        public static let diskFull = Self(name: "disk_full")
        /// The file system or the database refused.
        public static let unavailable = Self(name: "unavailable")

        /// The vault lies where nothing can be written.
        public static let readOnly = Self(name: "read_only")
        /// A file of the vault belongs to another user, or others may change it.
        public static let unsafeFile = Self(name: "unsafe_file")
        /// A copy cannot be put there without harm to something else.
        public static let unusablePath = Self(name: "unusable_path")
    }

    /// What stands in the way.
    public let code: Code
    /// What was expected and found.
    public let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
