/// Lists passkeys: all, or the passkeys of an RP ID.
public struct ListPasskeys: AgentMethod {
    /// `passkeys.list`.
    public static let name = "passkeys.list"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The RP ID; `nil` for all.
    public var rpID: String?

    /// Creates a request.
    public init(authorization: Authorization, rpID: String? = nil) {
        self.authorization = authorization
        self.rpID = rpID
    }

    /// The passkeys.
    public struct Result: Codable, Sendable {
        /// The passkeys, latest use first.
        public var passkeys: [PasskeyRecord]

        package init(passkeys: [PasskeyRecord]) {
            self.passkeys = passkeys
        }
    }
}

/// Removes a passkey from its item; earlier revisions of the item keep it.
public struct RemovePasskey: AgentMethod {
    /// `passkeys.remove`.
    public static let name = "passkeys.remove"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The credential ID in base64url, or its first characters.
    public var credentialID: String

    /// Creates a request.
    public init(authorization: Authorization, credentialID: String) {
        self.authorization = authorization
        self.credentialID = credentialID
    }
    /// The removed passkey.
    public typealias Result = PasskeyRecord
}

/// Creates a passkey as for a page: `navigator.credentials.create`.
public struct CreatePasskey: AgentMethod {
    /// `passkeys.create`.
    public static let name = "passkeys.create"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The requesting origin.
    public var origin: String
    /// The origin in the address bar, if the page is in a frame of another origin.
    public var topOrigin: String?
    /// `PublicKeyCredentialCreationOptionsJSON` as text.
    public var options: String
    /// `optional`, `required` or `conditional`; default `optional`.
    public var mediation: Mediation?

    /// Creates a request.
    public init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: Mediation? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// The response for the page.
    public struct Result: Codable, Sendable {
        /// `RegistrationResponseJSON` as text.
        public var response: String
        /// The repairs in the options.
        public var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}

/// Uses a passkey as for a page: `navigator.credentials.get`.
public struct UsePasskey: AgentMethod {
    /// `passkeys.get`.
    public static let name = "passkeys.get"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The requesting origin.
    public var origin: String
    /// The origin in the address bar, if the page is in a frame of another origin.
    public var topOrigin: String?
    /// `PublicKeyCredentialRequestOptionsJSON` as text.
    public var options: String
    /// `silent`, `optional`, `required` or `conditional`; default `optional`.
    public var mediation: Mediation?

    /// Creates a request.
    public init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: Mediation? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// The response for the page.
    public struct Result: Codable, Sendable {
        /// `AuthenticationResponseJSON` as text.
        public var response: String
        /// The repairs in the options.
        public var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}
