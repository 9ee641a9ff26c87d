/// Copies the vault into a file, and reads the copy before it takes its place.
///
/// A locked vault is opened first, so that every item can be opened in the copy; where nobody may be asked it is copied as it is.
public struct BackUpVault: AuthorizedMethod {
    /// `vault.backUp`.
    public static let name = "vault.backUp"
    /// How it is allowed.
    public var authorization: Authorization
    /// A file, or a folder in which the file gets a dated name; absolute.
    public var path: String
    /// How many dated copies of this vault a folder keeps; absent for all.
    public var keep: Int?
    /// Whether the Secret Key is written beside the copy.
    public var includesSecretKey: Bool
    /// Whether the person says that the place is on another disk or machine.
    public var isElsewhere: Bool

    /// Asks for a copy.
    public init(
        authorization: Authorization,
        path: String,
        keep: Int? = nil,
        includesSecretKey: Bool = false,
        isElsewhere: Bool = false
    ) {
        self.authorization = authorization
        self.path = path
        self.keep = keep
        self.includesSecretKey = includesSecretKey
        self.isElsewhere = isElsewhere
    }

    /// What was made.
    public struct Result: Codable, Sendable {
        /// The file.
        public var path: String
        /// How many entries of the log are in it, each signed and in its place.
        public var entries: Int
        /// Whether every item was opened in the copy; not where the vault was locked.
        public var areContentsChecked: Bool
        /// Items that cannot be read in the vault, and not in the copy either.
        public var unreadable: [String]
        /// Older copies that were removed.
        public var removed: [String]
        /// Whether the copy is on another disk than the vault.
        public var isElsewhere: Bool
        /// What is known of copies; absent where the vault is locked.
        public var state: BackupRecordState?

        package init(
            path: String,
            entries: Int,
            areContentsChecked: Bool,
            unreadable: [String],
            removed: [String],
            isElsewhere: Bool,
            state: BackupRecordState?
        ) {
            self.path = path
            self.entries = entries
            self.areContentsChecked = areContentsChecked
            self.unreadable = unreadable
            self.removed = removed
            self.isElsewhere = isElsewhere
            self.state = state
        }
    }
}

/// Whether passkeys count as backed up, and what is missing.
public struct BackupRecordState: Codable, Hashable, Sendable {
    /// Whether all passkeys count as backed up.
    public var isComplete: Bool
    /// When the last verified copy on another disk was made.
    public var copiedAt: Int64?
    /// Where that copy was put.
    public var path: String?
    /// How many passkeys there are.
    public var passkeys: Int
    /// How many of them are in the copy.
    public var copiedPasskeys: Int
    /// When a key was typed from paper.
    public var confirmedAt: Int64?
    /// `copy`, `key`, `passkeys`: what stands in the way.
    public var missing: [String]

    package init(
        copiedAt: Int64?,
        path: String?,
        passkeys: Int,
        copiedPasskeys: Int,
        confirmedAt: Int64?,
        missing: [String]
    ) {
        isComplete = missing.isEmpty
        self.copiedAt = copiedAt
        self.path = path
        self.passkeys = passkeys
        self.copiedPasskeys = copiedPasskeys
        self.confirmedAt = confirmedAt
        self.missing = missing
    }
}

/// Remembers that a person typed the recovery key or the Secret Key from paper.
public struct ConfirmBackupKey: AuthorizedMethod {
    /// `vault.confirmBackupKey`.
    public static let name = "vault.confirmBackupKey"
    /// How it is allowed.
    public var authorization: Authorization
    /// What was typed.
    public var key: String
    /// Asks.
    public init(authorization: Authorization, key: String) {
        self.authorization = authorization
        self.key = key
    }

    /// What was recognised.
    public struct Result: Codable, Sendable {
        /// `recoveryKey` or `secretKey`.
        public var kind: String
        /// What is known of copies now.
        public var state: BackupRecordState

        package init(kind: String, state: BackupRecordState) {
            self.kind = kind
            self.state = state
        }
    }
}

/// Puts a copy of a vault in place, once it opened.
public struct RestoreVault: AuthorizedMethod {
    /// `vault.restore`.
    public static let name = "vault.restore"
    /// How it is allowed; the passphrase is the copy's, or with a recovery key the new one.
    public var authorization: Authorization
    /// A copy, or a folder of dated copies, of which the newest is taken; absolute.
    public var path: String
    /// The Secret Key, where it is neither beside the copy nor on this device.
    public var secretKey: String?
    /// The recovery key, in place of passphrase and Secret Key.
    public var recoveryKey: String?
    /// Whether a vault that is there is replaced, and kept under another name.
    public var replaces: Bool
    /// Whether a copy is taken that is older than the vault this device saw last.
    public var trustsFile: Bool
    /// Whether the recovery key may open a copy without a proof that its holder made it, as copies of early versions are.
    public var trustsUnproven = false

    /// Asks.
    public init(
        authorization: Authorization,
        path: String,
        secretKey: String? = nil,
        recoveryKey: String? = nil,
        replaces: Bool = false,
        trustsFile: Bool = false
    ) {
        self.authorization = authorization
        self.path = path
        self.secretKey = secretKey
        self.recoveryKey = recoveryKey
        self.replaces = replaces
        self.trustsFile = trustsFile
    }

    /// What is in place now, unlocked.
    public struct Result: Codable, Sendable {
        /// The copy that was read.
        public var source: String
        /// The vault's file.
        public var vault: String
        /// Where the vault lies that was there before.
        public var replaced: String?
        /// How many items there are.
        public var items: Int
        /// When the vault in the copy was last changed.
        public var lastChange: Int64

        package init(source: String, vault: String, replaced: String?, items: Int, lastChange: Int64) {
            self.source = source
            self.vault = vault
            self.replaced = replaced
            self.items = items
            self.lastChange = lastChange
        }
    }
}
