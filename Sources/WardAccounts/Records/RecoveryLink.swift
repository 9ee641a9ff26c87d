/// The right to add one passkey to an account whose owner can no longer sign in.
///
/// An administrator creates it. An account has at most one. Times are seconds since 1970.
public struct RecoveryLink: Hashable, Sendable {
    /// How long a link works, in seconds: one hour.
    public static let lifetime: Int64 = 3_600

    /// The account that gets the passkey.
    public var accountID: AccountID
    /// ``LinkToken/hash`` of the token in the link.
    public var tokenHash: [UInt8]
    /// The time when the link was made.
    public var createdAt: Int64
    /// The time when the link expires.
    public var expiresAt: Int64

    /// Creates a record.
    public init(accountID: AccountID, tokenHash: [UInt8], createdAt: Int64, expiresAt: Int64) {
        self.accountID = accountID
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether the link has expired, from the second ``expiresAt`` on.
    ///
    /// A link with a time in the future counts as expired too.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}
