/// The part of a session that one app's host knows: a token of its own, which opens nothing at the service.
///
/// It ends with its ``Session``. Times are seconds since 1970.
public struct AppSession: Hashable, Sendable {
    /// ``SessionToken/hash`` of the token in the cookie of the app's host.
    public var tokenHash: [UInt8]
    /// The session that it belongs to.
    public var sessionID: SessionID
    /// The app's origin, such as `https://app.example.com`.
    public var origin: String
    /// When it began.
    public var createdAt: Int64

    /// Creates a record.
    public init(tokenHash: [UInt8], sessionID: SessionID, origin: String, createdAt: Int64) {
        self.tokenHash = tokenHash
        self.sessionID = sessionID
        self.origin = origin
        self.createdAt = createdAt
    }
}
