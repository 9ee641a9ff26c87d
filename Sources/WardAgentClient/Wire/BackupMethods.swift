/// Copies the vault into a file, and checks the copy before it gets its final path.
///
/// A locked vault is unlocked first, so that every item in the copy can be checked. If no prompt is allowed, the locked
/// vault is copied.
public struct BackUpVault: AgentMethod {
    /// `vault.backUp`.
    public static let name = "vault.backUp"
    /// The authorization of the request.
    public var authorization: Authorization
    /// A file, or a folder in which the file gets a dated name; an absolute path.
    public var path: String
    /// The number of dated copies of this vault to keep in the folder; `nil` keeps all.
    public var keep: Int?
    /// Whether the Secret Key is written beside the copy.
    public var includesSecretKey: Bool
    /// Whether the person says that the path is on another disk or machine.
    public var isElsewhere: Bool

    /// Creates a request.
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

    /// The result.
    public struct Result: Codable, Sendable {
        /// The file.
        public var path: String
        /// The number of log entries in it, all verified.
        public var entries: Int
        /// Whether every item in the copy was opened; not possible with a locked vault.
        public var areContentsChecked: Bool
        /// Items that cannot be read in the vault and in the copy.
        public var unreadable: [String]
        /// Older copies that were removed.
        public var removed: [String]
        /// Whether the copy is on another disk than the vault.
        public var isElsewhere: Bool
        /// The state of backups; `nil` while the vault is locked.
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
    /// The path of that copy.
    public var path: String?
    /// The number of passkeys.
    public var passkeys: Int
    /// The number of passkeys in the copy.
    public var copiedPasskeys: Int
    /// When a key was typed from paper.
    public var confirmedAt: Int64?
    /// What is missing: `copy`, `key`, `passkeys`.
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

/// Records that the person typed the recovery key or the Secret Key from paper.
public struct ConfirmBackupKey: AgentMethod {
    /// `vault.confirmBackupKey`.
    public static let name = "vault.confirmBackupKey"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The typed key.
    public var key: String
    /// Creates a request.
    public init(authorization: Authorization, key: String) {
        self.authorization = authorization
        self.key = key
    }

    /// The recognised key.
    public struct Result: Codable, Sendable {
        /// `recoveryKey` or `secretKey`.
        public var kind: String
        /// The state of backups after that.
        public var state: BackupRecordState

        package init(kind: String, state: BackupRecordState) {
            self.kind = kind
            self.state = state
        }
    }
}

/// Restores a copy of a vault, after it was opened successfully.
public struct RestoreVault: AgentMethod {
    /// `vault.restore`.
    public static let name = "vault.restore"
    /// The authorization.
    ///
    /// Its passphrase is the copy's; with a recovery key it is the new one.
    public var authorization: Authorization
    /// A copy, or a folder of dated copies, of which the newest is used; an absolute path.
    public var path: String
    /// The Secret Key, if it is neither beside the copy nor on this device.
    public var secretKey: String?
    /// The recovery key, instead of passphrase and Secret Key.
    public var recoveryKey: String?
    /// Whether an existing vault is replaced; it is kept under another name.
    public var replaces: Bool
    /// Whether to accept a copy that is older than the vault this device last saw.
    public var trustsFile: Bool
    /// Whether the recovery key may open a copy without a proof, as copies of early versions are.
    public var trustsUnproven = false

    /// Creates a request.
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

    /// The restored vault, unlocked.
    public struct Result: Codable, Sendable {
        /// The copy that was read.
        public var source: String
        /// The vault's file.
        public var vault: String
        /// The new path of the vault that was replaced.
        public var replaced: String?
        /// The number of items.
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
