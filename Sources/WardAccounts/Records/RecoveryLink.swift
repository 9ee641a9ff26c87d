/// The right to add one passkey to an account whose owner lost every way in.
///
/// An administrator makes it. An account has at most one. Times are seconds since 1970.
public struct RecoveryLink: Hashable, Sendable {
    /// How long a link works, in seconds: one hour.
    public static let lifetime: Int64 = 3_600

    /// The account that gets the passkey.
    public var accountID: AccountID
    /// ``LinkToken/hash`` of the token in the link.
    public var tokenHash: [UInt8]
    /// When it was made.
    public var createdAt: Int64
    /// When it ends if nobody uses it.
    public var expiresAt: Int64

    /// Creates a record.
    public init(accountID: AccountID, tokenHash: [UInt8], createdAt: Int64, expiresAt: Int64) {
        self.accountID = accountID
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether it has expired: at the exact second of ``expiresAt``, or because it seems to be from the future.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}
