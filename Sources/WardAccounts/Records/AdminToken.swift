internal import WardText

/// A program's right to use the admin API, until it expires or is revoked.
///
/// Times are seconds since 1970.
public struct AdminToken: Hashable, Sendable {
    /// One thing that a token allows.
    ///
    /// Later versions may add scopes.
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The word in settings and in the store.
        public let rawValue: String
        /// Creates a scope from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Read accounts, their passkeys and sessions.
        public static let readAccounts = Self(rawValue: "accounts:read")
        /// Disable, enable and delete accounts, and end sessions.
        public static let writeAccounts = Self(rawValue: "accounts:write")
        /// Make recovery links.
        ///
        /// The first person who opens such a link gets the account.
        public static let writeRecovery = Self(rawValue: "recovery:write")
        /// Make invitations.
        public static let writeInvitations = Self(rawValue: "invitations:write")
        /// Read the audit log.
        public static let readAudit = Self(rawValue: "audit:read")
        /// Read how many accounts, passkeys and sessions there are.
        public static let readStatistics = Self(rawValue: "statistics:read")

        /// Read the clients of OpenID Connect.
        public static let readClients = Self(rawValue: "clients:read")
        /// Add and remove clients of OpenID Connect, and replace their secrets.
        ///
        /// A client that is added can learn who people are without asking them.
        public static let writeClients = Self(rawValue: "clients:write")

        /// All scopes of this version.
        public static let all = [
            readAccounts, writeAccounts, writeRecovery, writeInvitations, readAudit, readStatistics,
            readClients, writeClients,
        ]
    }

    /// ``LinkToken/hash`` of the secret.
    public var tokenHash: [UInt8]
    /// What people call it: 1 to 64 characters.
    public var name: String
    /// What it allows.
    public var scopes: Set<Scope>
    /// When it was made.
    public var createdAt: Int64
    /// When it ends.
    public var expiresAt: Int64
    /// When it was last used, to the minute; `nil` if it was not used yet.
    public var lastUsedAt: Int64?

    /// Creates a record.
    public init(
        tokenHash: [UInt8],
        name: String,
        scopes: Set<Scope>,
        createdAt: Int64,
        expiresAt: Int64,
        lastUsedAt: Int64? = nil
    ) {
        self.tokenHash = tokenHash
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }

    /// What names the token in lists and in the audit log: the first 8 bytes of its hash, as hexadecimal digits.
    public var id: String { Hex.encode(tokenHash.prefix(8)) }

    /// Whether it has expired: at the exact second of ``expiresAt``, or because it seems to be from the future.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}
