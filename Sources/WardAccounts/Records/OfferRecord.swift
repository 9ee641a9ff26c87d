/// When an account was last offered to make a passkey.
///
/// Times are seconds since 1970.
public struct OfferRecord: Hashable, Sendable {
    /// The account.
    public var accountID: AccountID
    /// The time when a page showed the offer.
    public var shownAt: Int64
    /// The time when the person put this offer away; `nil` if that is not known.
    public var dismissedAt: Int64?

    /// Creates a record.
    public init(accountID: AccountID, shownAt: Int64, dismissedAt: Int64? = nil) {
        self.accountID = accountID
        self.shownAt = shownAt
        self.dismissedAt = dismissedAt
    }
}
