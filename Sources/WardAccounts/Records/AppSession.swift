/// The session of one app, with a token of its own that only the app's host gets.
///
/// The token gives no access to the service itself.
///
/// It ends together with its ``Session``. Times are seconds since 1970.
public struct AppSession: Hashable, Sendable {
    /// ``SessionToken/hash`` of the token in the cookie of the app's host.
    public var tokenHash: [UInt8]
    /// The session at the service that it belongs to.
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
