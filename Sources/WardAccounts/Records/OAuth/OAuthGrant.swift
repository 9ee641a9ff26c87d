/// What one authorization gave to a client: a code, and later the tokens that come from it.
///
/// It ends with its ``Session``, with the client, and with all its tokens. Times are seconds since 1970.
public struct OAuthGrant: Hashable, Sendable {
    /// How long the code can be used, in seconds.
    public static let codeLifetime: Int64 = 60

    /// ``SessionToken/hash`` of the code; it names the grant.
    public var codeHash: [UInt8]
    /// The client.
    public var clientID: String
    /// The session of the person who agreed.
    public var sessionID: SessionID
    /// The scopes, in the order of the request.
    public var scopes: [String]
    /// The redirect URI of the request.
    public var redirectURI: String
    /// The `code_challenge` of the request: SHA-256 of the verifier (RFC 7636, section 4.2).
    public var codeChallenge: [UInt8]
    /// The `nonce` of the request.
    public var nonce: String?
    /// When the person signed in: `auth_time`.
    public var authenticatedAt: Int64
    /// What the sign-in was: `acr`.
    public var acr: String?
    /// How the person signed in: `amr`.
    public var amr: [String]
    /// When the person agreed.
    public var createdAt: Int64
    /// When the code was used, `nil` until then.
    public var codeUsedAt: Int64?
    /// When nothing that came from it is valid any more.
    public var expiresAt: Int64

    /// Creates a record.
    public init(
        codeHash: [UInt8],
        clientID: String,
        sessionID: SessionID,
        scopes: [String],
        redirectURI: String,
        codeChallenge: [UInt8],
        nonce: String?,
        authenticatedAt: Int64,
        acr: String?,
        amr: [String],
        createdAt: Int64,
        codeUsedAt: Int64? = nil,
        expiresAt: Int64
    ) {
        self.codeHash = codeHash
        self.clientID = clientID
        self.sessionID = sessionID
        self.scopes = scopes
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.nonce = nonce
        self.authenticatedAt = authenticatedAt
        self.acr = acr
        self.amr = amr
        self.createdAt = createdAt
        self.codeUsedAt = codeUsedAt
        self.expiresAt = expiresAt
    }

    /// Whether the code is in time; a code from the future is not.
    public func isCodeCurrent(at now: Int64) -> Bool {
        (createdAt..<(createdAt + Self.codeLifetime)).contains(now)
    }
}
