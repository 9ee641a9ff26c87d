/// The right that a link or a code in a message gives.
///
/// Only a hash of the link's token or of the code is stored. Times are seconds since 1970.
public struct MailLink: Hashable, Sendable {
    /// What the link does.
    public enum Purpose: String, Hashable, Sendable {
        /// It confirms the account's e-mail address.
        case confirmation
        /// It ends all sessions of the account: its owner did not do what the message told.
        case alarm
        /// It is the link of a ``RecoveryLink``, which is stored instead.
        case recovery
        /// It is no link but a code, which is one step of a sign-in.
        case signInCode = "sign_in_code"
        /// It is a code in a text message, which is one step of a sign-in or confirms the number.
        case textCode = "text_code"
    }

    /// How long a link that ends sessions works, in seconds: one week.
    public static let alarmLifetime: Int64 = 7 * 86_400
    /// How long a code of a sign-in works from the wish for it, in seconds: ten minutes.
    public static let codeLifetime: Int64 = 600

    /// ``LinkToken/hash`` of the token in the link.
    public var tokenHash: [UInt8]
    /// The account.
    public var accountID: AccountID
    /// What the link does.
    public var purpose: Purpose
    /// The address that the message was sent to.
    public var address: MessageAddress
    /// The time when the link was made.
    public var createdAt: Int64
    /// The time when the link expires.
    public var expiresAt: Int64

    /// Creates a record.
    public init(
        tokenHash: [UInt8],
        accountID: AccountID,
        purpose: Purpose,
        address: MessageAddress,
        createdAt: Int64,
        expiresAt: Int64
    ) {
        self.tokenHash = tokenHash
        self.accountID = accountID
        self.purpose = purpose
        self.address = address
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether the link has expired, from the second ``expiresAt`` on.
    ///
    /// A link with a time in the future counts as expired too.
    public func isExpired(at now: Int64) -> Bool {
        now < createdAt || now >= expiresAt
    }
}
