/// The wish of a person with a recovery link that one of the account's helpers approves the recovery.
///
/// An account has at most one. It belongs to the link with its ``tokenHash`` and counts for no other link. Times are seconds since 1970.
public struct HelpRequest: Hashable, Sendable {
    /// The account that is recovered.
    public var accountID: AccountID
    /// ``RecoveryLink/tokenHash`` of the link.
    public var tokenHash: [UInt8]
    /// What the service keeps of the code that the person tells the helper.
    public var codeHash: [UInt8]
    /// The time when the person asked.
    public var createdAt: Int64
    /// The time until which a helper can approve.
    public var expiresAt: Int64
    /// The time when the notice to the account's owner had left; `nil` before.
    public var toldAt: Int64?
    /// The number of wrong codes that helpers typed.
    public var wrongCodes: Int64
    /// The account of the helper who approved; `nil` while nobody has.
    public var approvedBy: AccountID?

    /// Creates a record.
    public init(
        accountID: AccountID,
        tokenHash: [UInt8],
        codeHash: [UInt8],
        createdAt: Int64,
        expiresAt: Int64,
        toldAt: Int64? = nil,
        wrongCodes: Int64 = 0,
        approvedBy: AccountID? = nil
    ) {
        self.accountID = accountID
        self.tokenHash = tokenHash
        self.codeHash = codeHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.toldAt = toldAt
        self.wrongCodes = wrongCodes
        self.approvedBy = approvedBy
    }

    /// Whether the time to approve is over, from the second ``expiresAt`` on.
    ///
    /// A request with a time in the future counts as expired too.
    public func isExpired(at now: Int64) -> Bool { now < createdAt || now >= expiresAt }
}
