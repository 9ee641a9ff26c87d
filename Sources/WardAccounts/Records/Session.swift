/// One signed-in browser.
///
/// Times are seconds since 1970.
public struct Session: Hashable, Sendable {
    /// The method of a sign-in.
    ///
    /// Stores and the API use the raw value.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// With a passkey.
        case passkey
        /// With a password.
        case password
    }

    /// The session's ID.
    public var id: SessionID
    /// ``SessionToken/hash`` of the token the browser carries.
    public var tokenHash: [UInt8]
    /// The account that is signed in.
    public var accountID: AccountID
    /// When this session began.
    public var createdAt: Int64
    /// When the person signed in.
    ///
    /// A recent sign-in is measured by this.
    public var authenticatedAt: Int64
    /// The method of the sign-in.
    ///
    /// A new sign-in begins a new session, so it never changes.
    public var method: Method
    /// The last proof by a passkey, `nil` if there was none.
    ///
    /// A session that began with a password has one if the same browser proved a passkey of the account before. A
    /// session from before proofs were stored has none, even if it began with a passkey.
    public var passkeyProof: PasskeyProof?
    /// When the session was last used.
    public var lastSeenAt: Int64
    /// When the session ends if it is not used before; `nil` for no such limit.
    public var idleExpiresAt: Int64?
    /// When the session ends at the latest.
    public var expiresAt: Int64
    /// The browser's User-Agent, for the owner's list.
    public var userAgent: String

    /// Creates a record.
    public init(
        id: SessionID,
        tokenHash: [UInt8],
        accountID: AccountID,
        createdAt: Int64,
        authenticatedAt: Int64,
        method: Method,
        passkeyProof: PasskeyProof? = nil,
        lastSeenAt: Int64,
        idleExpiresAt: Int64?,
        expiresAt: Int64,
        userAgent: String
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.accountID = accountID
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.method = method
        self.passkeyProof = passkeyProof
        self.lastSeenAt = lastSeenAt
        self.idleExpiresAt = idleExpiresAt
        self.expiresAt = expiresAt
        self.userAgent = userAgent
    }

    /// Whether the session has expired.
    ///
    /// It has expired at the exact second of a limit.
    public func isExpired(at now: Int64) -> Bool {
        if expiresAt <= now { return true }
        guard let idleExpiresAt else { return false }
        return idleExpiresAt <= now
    }
}
