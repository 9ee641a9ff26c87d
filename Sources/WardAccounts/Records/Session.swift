/// One signed-in browser.
///
/// Times are seconds since 1970.
public struct Session: Hashable, Sendable {
    /// How somebody proved who they are; the raw value is what stores and the API write.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// With a passkey.
        case passkey
        /// With a password.
        case password
    }

    /// Names the session to its owner.
    public var id: SessionID
    /// ``SessionToken/hash`` of the token the browser carries.
    public var tokenHash: [UInt8]
    /// Who is signed in.
    public var accountID: AccountID
    /// When this session began.
    public var createdAt: Int64
    /// When the person last proved who they are; what "a recent sign-in" is measured by.
    public var authenticatedAt: Int64
    /// How they did; a new proof begins a new session, so this never changes.
    public var method: Method
    /// When the browser was last heard of.
    public var lastSeenAt: Int64
    /// When the session ends unless the browser is heard of before; `nil` for no such limit.
    public var idleExpiresAt: Int64?
    /// When the session ends at the latest.
    public var expiresAt: Int64
    /// What the browser called itself, for the owner's list.
    public var userAgent: String

    /// Puts a record together.
    public init(
        id: SessionID,
        tokenHash: [UInt8],
        accountID: AccountID,
        createdAt: Int64,
        authenticatedAt: Int64,
        method: Method,
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
        self.lastSeenAt = lastSeenAt
        self.idleExpiresAt = idleExpiresAt
        self.expiresAt = expiresAt
        self.userAgent = userAgent
    }

    /// Whether the session is over; at the very second of a limit it is.
    public func isExpired(at now: Int64) -> Bool {
        if expiresAt <= now { return true }
        guard let idleExpiresAt else { return false }
        return idleExpiresAt <= now
    }
}
