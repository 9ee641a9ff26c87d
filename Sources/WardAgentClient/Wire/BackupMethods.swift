/// Copies the vault into a file, and checks the copy before it gets its final path.
///
/// A locked vault is unlocked first, so that every item in the copy can be checked. If no prompt is allowed, the locked
/// vault is copied.
package struct BackUpVault: AgentMethod {
    package static let name = "vault.backUp"
    /// The authorization of the request.
    package var authorization: Authorization
    /// A file, or a folder in which the file gets a dated name; an absolute path.
    package var path: String
    /// The number of dated copies of this vault to keep in the folder; `nil` keeps all.
    package var keep: Int?
    /// Whether the Secret Key is written beside the copy.
    package var includesSecretKey: Bool
    /// Whether the person says that the path is on another disk or machine.
    package var isElsewhere: Bool

    package init(
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

    package struct Result: Codable, Sendable {
        /// The file.
        package var path: String
        /// The number of log entries in the copy.
        ///
        /// All of them were verified.
        package var entries: Int
        /// Whether every item in the copy was decrypted.
        ///
        /// That is not possible while the vault is locked.
        package var areContentsChecked: Bool
        /// Items that cannot be read in the vault and so not in the copy.
        package var unreadable: [String]
        /// Older copies that were removed.
        package var removed: [String]
        /// Whether the copy is on another disk than the vault.
        package var isElsewhere: Bool
        /// The state of the vault's backups; `nil` while the vault is locked.
        package var state: BackupRecordState?

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

/// Whether services see passkeys as backed up, and what is still missing.
package struct BackupRecordState: Codable, Hashable, Sendable {
    /// Whether all passkeys count as backed up.
    package var isComplete: Bool
    /// The time when the last verified copy on another disk was made.
    package var copiedAt: Int64?
    /// The path of that copy.
    package var path: String?
    /// The number of passkeys.
    package var passkeys: Int
    /// The number of passkeys in the copy.
    package var copiedPasskeys: Int
    /// The time when the person typed a key from paper.
    package var confirmedAt: Int64?
    /// The things that are missing: `copy`, `key`, `passkeys`.
    package var missing: [String]

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
package struct ConfirmBackupKey: AgentMethod {
    package static let name = "vault.confirmBackupKey"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The typed key.
    package var key: String
    package init(authorization: Authorization, key: String) {
        self.authorization = authorization
        self.key = key
    }

    /// The recognised key.
    package struct Result: Codable, Sendable {
        /// `recoveryKey` or `secretKey`.
        package var kind: String
        /// The state of the vault's backups after the key was confirmed.
        package var state: BackupRecordState

        package init(kind: String, state: BackupRecordState) {
            self.kind = kind
            self.state = state
        }
    }
}

/// Restores a copy of a vault, after it was opened successfully.
package struct RestoreVault: AgentMethod {
    package static let name = "vault.restore"
    /// The authorization.
    ///
    /// Its passphrase is the passphrase of the copy. With a recovery key it is the new passphrase.
    package var authorization: Authorization
    /// The absolute path of a copy, or of a folder of dated copies.
    ///
    /// From a folder, the newest copy is used.
    package var path: String
    /// The Secret Key, if it is neither beside the copy nor on this device.
    package var secretKey: String?
    /// The recovery key, instead of passphrase and Secret Key.
    package var recoveryKey: String?
    /// Whether an existing vault is replaced; it is kept under another name.
    package var replaces: Bool
    /// Whether to accept a copy that is older than the vault this device last saw.
    package var trustsFile: Bool
    /// Whether the recovery key may open a copy that has no proof for the key.
    ///
    /// Early versions made such copies.
    package var trustsUnproven = false

    package init(
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
    package struct Result: Codable, Sendable {
        /// The copy that was read.
        package var source: String
        /// The vault's file.
        package var vault: String
        /// The new path of the vault that was replaced.
        package var replaced: String?
        /// The number of items.
        package var items: Int
        /// The IDs of items whose latest revision cannot be read; `nil` if there are none.
        package var unreadable: [String]?
        /// The time of the last change of the vault in the copy.
        package var lastChange: Int64
        /// As in ``Recover/Result``.
        package var isNewDevice: Bool?
        /// As in ``Recover/Result``.
        package var formerDevice: String?

        package init(
            source: String,
            vault: String,
            replaced: String?,
            items: Int,
            unreadable: [String]? = nil,
            lastChange: Int64,
            isNewDevice: Bool? = nil,
            formerDevice: String? = nil
        ) {
            self.source = source
            self.vault = vault
            self.replaced = replaced
            self.items = items
            self.unreadable = unreadable
            self.lastChange = lastChange
            self.isNewDevice = isNewDevice
            self.formerDevice = formerDevice
        }
    }
}
