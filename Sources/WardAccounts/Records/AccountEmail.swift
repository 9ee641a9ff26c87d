/// The e-mail addresses of an account: the one that belongs to it, and one that waits to be confirmed.
public struct AccountEmail: Hashable, Sendable {
    /// How long an address can wait to be confirmed, in seconds: one day.
    public static let confirmationTime: Int64 = 86_400

    /// An address and its time, in seconds since 1970.
    public struct Entry: Hashable, Sendable {
        /// The address.
        public var address: EmailAddress
        /// When its owner confirmed it, or when it was given.
        public var time: Int64

        /// Creates an entry.
        public init(_ address: EmailAddress, at time: Int64) {
            self.address = address
            self.time = time
        }
    }

    /// The account.
    public var accountID: AccountID
    /// The address that messages about the account are sent to: its owner confirmed it.
    public var confirmed: Entry?
    /// The address that gets only one message: the one with the link that confirms it.
    public var pending: Entry?
    /// The language of messages, as a BCP 47 tag: the one in which the person gave the address.
    public var language: String

    /// Creates a record.
    public init(accountID: AccountID, confirmed: Entry? = nil, pending: Entry? = nil, language: String) {
        self.accountID = accountID
        self.confirmed = confirmed
        self.pending = pending
        self.language = language
    }

    /// The address that can still be confirmed.
    ///
    /// One with a time in the future counts as expired too.
    public func pending(at now: Int64) -> EmailAddress? {
        guard let pending, pending.time <= now, now - pending.time < Self.confirmationTime else { return nil }
        return pending.address
    }
}
