/// A program that signs people in with this service: a client of OAuth 2.0, a relying party of OpenID Connect.
public struct OAuthClient: Hashable, Sendable {
    /// The `client_id`; not secret, never changes.
    public var id: String
    /// The name that people read before they agree.
    public var name: String
    /// ``SessionToken/hash`` of the client's secret; `nil` for a public client, which can keep no secret.
    public var secretHash: [UInt8]?
    /// Where codes may be sent, compared character by character, except for the port of a loopback address.
    public var redirectURIs: [String]
    /// Where people may return after they sign out.
    public var postLogoutRedirectURIs: [String]
    /// Whether the client belongs to the people who run the service, so that nobody is asked to agree.
    public var isFirstParty: Bool
    /// Whether it may sign in devices without a browser, with a code that a person types elsewhere.
    public var allowsDevices: Bool
    /// What its ID tokens are signed with.
    public var idTokenAlgorithm: IDTokenAlgorithm
    /// When it was added, in seconds since 1970.
    public var createdAt: Int64

    /// Creates a record.
    public init(
        id: String,
        name: String,
        secretHash: [UInt8]?,
        redirectURIs: [String],
        postLogoutRedirectURIs: [String] = [],
        isFirstParty: Bool = false,
        allowsDevices: Bool = false,
        idTokenAlgorithm: IDTokenAlgorithm = .es256,
        createdAt: Int64
    ) {
        self.id = id
        self.name = name
        self.secretHash = secretHash
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.isFirstParty = isFirstParty
        self.allowsDevices = allowsDevices
        self.idTokenAlgorithm = idTokenAlgorithm
        self.createdAt = createdAt
    }
}
