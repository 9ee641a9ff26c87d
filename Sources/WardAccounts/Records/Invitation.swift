/// The right to create one account, if the service requires an invitation.
///
/// The invitation is deleted when an account is created with it. Times are seconds since 1970.
public struct Invitation: Hashable, Sendable {
    /// ``LinkToken/hash`` of the token in the invitation's link.
    public var tokenHash: [UInt8]
    /// The time when the invitation was made.
    public var createdAt: Int64
    /// The time when the invitation expires.
    public var expiresAt: Int64

    /// Creates a record.
    public init(tokenHash: [UInt8], createdAt: Int64, expiresAt: Int64) {
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether the invitation has expired, from the second ``expiresAt`` on.
    ///
    /// An invitation with a time in the future counts as expired too.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}
