/// Reads what can be read of a damaged vault, and writes it into a new one; the damaged file stays as it is.
public struct SalvageVault: AuthorizedMethod {
    /// `vault.salvage`.
    public static let name = "vault.salvage"
    /// How it is allowed: with the damaged vault's passphrase, unless there is a recovery key.
    public var authorization: Authorization
    /// The damaged vault's recovery key, instead of its passphrase.
    public var recoveryKey: String?
    /// The new vault's passphrase; needed with a recovery key, otherwise it is the damaged vault's.
    public var passphrase: String?
    /// Whether a vault is taken that does not prove to the recovery key whose it is; absent is no.
    public var trustsUnproven: Bool?
    /// The folder to make for the new vault, an absolute path; absent to see what can be saved.
    public var folder: String?

    /// Asks.
    public init(
        authorization: Authorization,
        recoveryKey: String? = nil,
        passphrase: String? = nil,
        trustsUnproven: Bool? = nil,
        folder: String? = nil
    ) {
        self.authorization = authorization
        self.recoveryKey = recoveryKey
        self.passphrase = passphrase
        self.trustsUnproven = trustsUnproven
        self.folder = folder
    }

    /// What was saved, and what was lost.
    public struct Result: Codable, Sendable {
        /// An item of the damaged vault.
        public struct ItemState: Codable, Hashable, Sendable {
            /// The item ID.
            public var id: String
            /// The title; absent where nothing says it any more.
            public var title: String?

            package init(id: String, title: String? = nil) {
                self.id = id
                self.title = title
            }
        }

        /// How many items were saved in their latest revision.
        public var complete: Int
        /// Items that were saved in an older revision, because the latest cannot be read.
        public var outdated: [ItemState]
        /// Items of which no revision can be read.
        public var lost: [ItemState]
        /// How many entries of the log cannot be read, or are missing.
        public var damagedEntries: Int
        /// The new vault's file; this and what follows is absent when nothing was written.
        public var vault: String?
        /// Where the new vault's Secret Key lies.
        public var secretKey: String?
        /// The new vault's recovery key, shown this once.
        public var newRecoveryKey: String?

        package init(complete: Int, outdated: [ItemState], lost: [ItemState], damagedEntries: Int) {
            self.complete = complete
            self.outdated = outdated
            self.lost = lost
            self.damagedEntries = damagedEntries
        }
    }
}
