/// The right to create one account where registration is by invitation.
///
/// It is used up by the account that it creates. Times are seconds since 1970.
public struct Invitation: Hashable, Sendable {
    /// ``LinkToken/hash`` of the token in the invitation's link.
    public var tokenHash: [UInt8]
    /// When it was made.
    public var createdAt: Int64
    /// When it ends if nobody uses it.
    public var expiresAt: Int64

    /// Creates a record.
    public init(tokenHash: [UInt8], createdAt: Int64, expiresAt: Int64) {
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether it has expired: at the exact second of ``expiresAt``, or because it seems to be from the future.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}
