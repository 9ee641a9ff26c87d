/// Lists passkeys: all, or those of an RP ID.
public struct ListPasskeys: AuthorizedMethod {
    /// `passkeys.list`.
    public static let name = "passkeys.list"
    /// How it is allowed.
    public var authorization: Authorization
    /// The RP ID; absent for all.
    public var rpID: String?

    /// Asks.
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

/// Removes a passkey from its item; earlier states of the item keep it.
public struct RemovePasskey: AuthorizedMethod {
    /// `passkeys.remove`.
    public static let name = "passkeys.remove"
    /// How it is allowed.
    public var authorization: Authorization
    /// The credential's name in base64url, or the beginning of it.
    public var credentialID: String

    /// Asks.
    public init(authorization: Authorization, credentialID: String) {
        self.authorization = authorization
        self.credentialID = credentialID
    }
    /// What was removed.
    public typealias Result = PasskeyRecord
}

/// Makes a passkey as a page would: `navigator.credentials.create`.
public struct CreatePasskey: AuthorizedMethod {
    /// `passkeys.create`.
    public static let name = "passkeys.create"
    /// How it is allowed.
    public var authorization: Authorization
    /// Who asks.
    public var origin: String
    /// The origin in the address bar, where the page that asks is in a frame of another origin.
    public var topOrigin: String?
    /// `PublicKeyCredentialCreationOptionsJSON` as text.
    public var options: String
    /// `optional`, `required` or `conditional`; absent for `optional`.
    public var mediation: String?

    /// Asks.
    public init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: String? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// What the page would get.
    public struct Result: Codable, Sendable {
        /// `RegistrationResponseJSON` as text.
        public var response: String
        /// What was mended in the options before they could be read.
        public var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}

/// Uses a passkey as a page would: `navigator.credentials.get`.
public struct UsePasskey: AuthorizedMethod {
    /// `passkeys.get`.
    public static let name = "passkeys.get"
    /// How it is allowed.
    public var authorization: Authorization
    /// Who asks.
    public var origin: String
    /// The origin in the address bar, where the page that asks is in a frame of another origin.
    public var topOrigin: String?
    /// `PublicKeyCredentialRequestOptionsJSON` as text.
    public var options: String
    /// `silent`, `optional`, `required` or `conditional`; absent for `optional`.
    public var mediation: String?

    /// Asks.
    public init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: String? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// What the page would get.
    public struct Result: Codable, Sendable {
        /// `AuthenticationResponseJSON` as text.
        public var response: String
        /// What was mended in the options before they could be read.
        public var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}
