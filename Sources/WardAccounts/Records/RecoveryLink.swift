/// The right to add one passkey to an account whose owner can no longer sign in.
///
/// An account has at most one of each source. Times are seconds since 1970.
public struct RecoveryLink: Hashable, Sendable {
    /// Who made the link.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// The people who run the service, who know that the person is the owner.
        case `operator`
        /// The service, for a person who asked for it; it was mailed to the account's address.
        case mail
        /// The service, for a person who signed in with a password.
        case session
    }

    /// A wait before the link adds a passkey.
    public enum Wait: Hashable, Sendable {
        /// Nobody asked for it.
        case none
        /// It begins when the notice to the account's address has left.
        case afterNotice
        /// It ends at this time.
        case until(Int64)
    }

    /// How long a link works, in seconds: one hour.
    ///
    /// A wait makes it longer.
    public static let lifetime: Int64 = 3_600
    /// How long a link works after a wait, in seconds: one week.
    public static let lifetimeAfterWait: Int64 = 7 * 86_400

    /// The account that gets the passkey.
    public var accountID: AccountID
    /// Who made the link.
    public var source: Source
    /// ``LinkToken/hash`` of the token in the link.
    public var tokenHash: [UInt8]
    /// The time when the link was made.
    public var createdAt: Int64
    /// The time when the link expires.
    public var expiresAt: Int64
    /// Whether the link needs another proof, or a wait.
    public var needsProof: Bool
    /// What was proven beside the link, as words of the service.
    public var proofs: [String]
    /// The wait before the link adds a passkey.
    public var wait: Wait

    /// Creates a record.
    public init(
        accountID: AccountID,
        source: Source = .operator,
        tokenHash: [UInt8],
        createdAt: Int64,
        expiresAt: Int64,
        needsProof: Bool = false,
        proofs: [String] = [],
        wait: Wait = .none
    ) {
        self.accountID = accountID
        self.source = source
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.needsProof = needsProof
        self.proofs = proofs
        self.wait = wait
    }

    /// Whether the link has expired, from the second ``expiresAt`` on.
    ///
    /// A link with a time in the future counts as expired too.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<max(createdAt, expiresAt)).contains(now)
    }
}
