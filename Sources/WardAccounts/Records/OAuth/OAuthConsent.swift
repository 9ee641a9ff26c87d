/// What a person allowed a client, so that nobody asks again.
public struct OAuthConsent: Hashable, Sendable {
    /// The person's account.
    public var accountID: AccountID
    /// The client.
    public var clientID: String
    /// The scopes that the person allowed.
    public var scopes: [String]
    /// When the person agreed, in seconds since 1970.
    public var createdAt: Int64

    /// Creates a record.
    public init(accountID: AccountID, clientID: String, scopes: [String], createdAt: Int64) {
        self.accountID = accountID
        self.clientID = clientID
        self.scopes = scopes
        self.createdAt = createdAt
    }
}
