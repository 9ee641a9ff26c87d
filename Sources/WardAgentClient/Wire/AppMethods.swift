/// One request of an app's sheet.
public struct AppRequest: Codable, Hashable, Sendable {
    /// The kind of a request.
    ///
    /// Later versions may add kinds. An agent ignores kinds that it does not know.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The kind's name in messages.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates a passkey.
        public static let passkeyRegistration = Self(rawValue: "passkeyRegistration")
        /// Uses a passkey.
        public static let passkeyAssertion = Self(rawValue: "passkeyAssertion")
        /// Creates a credential on a security key.
        public static let securityKeyRegistration = Self(rawValue: "securityKeyRegistration")
        /// Uses a security key.
        public static let securityKeyAssertion = Self(rawValue: "securityKeyAssertion")
        /// A user name and password of one of the app's domains.
        public static let password = Self(rawValue: "password")
        /// A verification code of one of the app's domains.
        public static let oneTimeCode = Self(rawValue: "oneTimeCode")
        /// A new password, generated and saved.
        public static let newPassword = Self(rawValue: "newPassword")
        /// A passkey and the data for a new account.
        public static let accountCreation = Self(rawValue: "accountCreation")
        /// Another account of the person.
        ///
        /// The agent offers it together with the other entries, and the app signs in with it.
        public static let otherAccount = Self(rawValue: "otherAccount")
        /// Any text for a field, which the person chooses in another credential manager.
        public static let textToInsert = Self(rawValue: "textToInsert")
        /// The suggestion to unlock the vault.
        ///
        /// It occurs only in suggestions.
        public static let unlock = Self(rawValue: "unlock")
    }

    /// The kind of the request.
    public var kind: Kind
    /// The RP ID; for passwords and codes the domain, or `nil` for all domains of the app.
    public var domain: String?
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` as text, for public keys.
    public var options: String?
    /// `conditional` for a passkey without a prompt; otherwise `nil`.
    public var mediation: Mediation?
    /// Only for `localhost`: the origin in client data, such as `http://localhost:8080`; default `https://localhost`.
    ///
    /// For other domains the origin is `https://` and the domain.
    public var origin: String?
    /// The user name to save a new password with.
    public var user: String?
    /// The kinds of contact that can name a new account, best first: `email`, `phoneNumber`.
    public var contacts: [String]?
    /// Whether to ask for the person's name for a new account.
    public var wantsName: Bool?

    /// Creates a request.
    public init(_ kind: Kind, domain: String? = nil, options: String? = nil, mediation: Mediation? = nil) {
        self.kind = kind
        self.domain = domain
        self.options = options
        self.mediation = mediation
    }
}

/// Asks the person for one of several credentials with one prompt: an app's sign-in sheet.
///
/// Kinds without a credential are left out. The agent identifies the app itself, and answers only for a domain that
/// lists the app.
public struct AuthorizeApp: AgentMethod {
    /// `app.authorize`.
    public static let name = "app.authorize"
    /// Whether the person may be prompted.
    ///
    /// If not, only a conditional registration can succeed.
    public var authorization: AppAuthorization
    /// The requests, one of which is answered.
    public var requests: [AppRequest]
    /// Whether only immediately available credentials count.
    ///
    /// If there are none, the error `nothing_available` comes at once, without a prompt.
    public var prefersImmediatelyAvailable: Bool
    /// The suggestion that the person picked in a text field; `nil` for the sheet.
    public var suggestion: String?

    /// Creates a request.
    public init(
        authorization: AppAuthorization = AppAuthorization(),
        requests: [AppRequest],
        prefersImmediatelyAvailable: Bool = false,
        suggestion: String? = nil
    ) {
        self.authorization = authorization
        self.requests = requests
        self.prefersImmediatelyAvailable = prefersImmediatelyAvailable
        self.suggestion = suggestion
    }

    /// The answer to the request that the person chose.
    public struct Result: Codable, Sendable {
        /// The index of the answered request, counted from 0.
        public var request: Int
        /// `RegistrationResponseJSON` or `AuthenticationResponseJSON` as text, for public keys.
        public var response: String?
        /// The user name for passwords; the contact for account creation.
        public var user: String?
        /// The password: the existing or the new one.
        public var password: String?
        /// The code.
        public var code: String?
        /// The text to insert.
        public var text: String?
        /// The person's name, if a new account asked for it and the person gave it.
        public var personName: String?

        package init(
            request: Int,
            response: String? = nil,
            user: String? = nil,
            password: String? = nil,
            code: String? = nil,
            text: String? = nil,
            personName: String? = nil
        ) {
            self.request = request
            self.response = response
            self.user = user
            self.password = password
            self.code = code
            self.text = text
            self.personName = personName
        }
    }
}

/// Requests suggestions for a text field, without a prompt and without secrets.
public struct SuggestForApp: AgentMethod {
    /// `app.suggest`.
    public static let name = "app.suggest"
    /// The requests that the field can use.
    public var requests: [AppRequest]
    /// Whether to wait for credential managers that are slow; otherwise the answer comes after 300 milliseconds at the latest.
    public var waitsForAll: Bool?

    /// Creates a request.
    public init(requests: [AppRequest], waitsForAll: Bool? = nil) {
        self.requests = requests
        self.waitsForAll = waitsForAll
    }

    /// The suggestions.
    public struct Result: Codable, Sendable {
        /// Whether the vault is locked.
        ///
        /// Its content is then unknown, so the only suggestion is to unlock the vault.
        public var isLocked: Bool
        /// The suggestions, latest use first.
        public var suggestions: [AppSuggestion]
        /// Whether a credential manager did not answer in time; a request with ``SuggestForApp/waitsForAll`` gets the whole list.
        public var isPartial: Bool?

        package init(isLocked: Bool, suggestions: [AppSuggestion], isPartial: Bool? = nil) {
            self.isLocked = isLocked
            self.suggestions = suggestions
            self.isPartial = isPartial
        }
    }
}

/// A suggestion for a text field.
public struct AppSuggestion: Codable, Hashable, Sendable {
    /// The ID with which to accept it, valid at this agent for some minutes.
    public var id: String
    /// The kind; `unlock` to unlock the vault.
    public var kind: AppRequest.Kind
    /// The user name.
    public var user: String
    /// The domain.
    public var domain: String
    /// The credential manager that has the entry.
    public var provider: String

    package init(id: String, kind: AppRequest.Kind, user: String, domain: String, provider: String) {
        self.id = id
        self.kind = kind
        self.user = user
        self.domain = domain
        self.provider = provider
    }
}

/// Unlocks the vault for an app, because the person wants to pick an entry.
///
/// The app learns nothing.
public struct UnlockForApp: AgentMethod {
    /// `app.unlock`.
    public static let name = "app.unlock"
    /// The authorization of the request.
    public var authorization: AppAuthorization
    /// Creates a request.
    public init(authorization: AppAuthorization = AppAuthorization()) { self.authorization = authorization }
    /// An empty result.
    public typealias Result = Done
}

/// Asks the person to enable a credential manager, for example from the manager's own settings.
///
/// The prompt names the requesting program, the manager, and the file that declares it. If the manager is already enabled, no
/// prompt appears.
public struct EnableProviderForApp: AgentMethod {
    /// `app.enableProvider`.
    public static let name = "app.enableProvider"
    /// The manager's identifier, as in its declaration.
    public var identifier: String
    /// Creates a request.
    public init(identifier: String) { self.identifier = identifier }
    /// An empty result: the manager is enabled.
    public typealias Result = Done
}

/// Saves a password that the person typed into an app, after a prompt.
public struct SaveForApp: AgentMethod {
    /// `app.save`.
    public static let name = "app.save"
    /// The authorization of the request.
    public var authorization: AppAuthorization
    /// The domain of the password.
    public var domain: String
    /// The user name.
    public var user: String
    /// The password.
    public var password: String
    /// The title; default: the domain.
    public var title: String?

    /// Creates a request.
    public init(
        authorization: AppAuthorization = AppAuthorization(),
        domain: String,
        user: String,
        password: String,
        title: String? = nil
    ) {
        self.authorization = authorization
        self.domain = domain
        self.user = user
        self.password = password
        self.title = title
    }
    /// An empty result.
    public typealias Result = Done
}

/// Passes a service's signal about credentials to the credential managers; the answer does not depend on what they
/// store.
public struct SignalFromApp: AgentMethod {
    /// `app.signal`.
    public static let name = "app.signal"

    /// The kind of signal.
    public enum Kind: String, Codable, Sendable {
        /// `UnknownCredentialOptions`.
        case unknownCredential
        /// `AllAcceptedCredentialsOptions`.
        case allAcceptedCredentials
        /// `CurrentUserDetailsOptions`.
        case currentUserDetails
        /// `{"rpId", "name"}`: the account no longer has a password.
        case unusedPassword
    }

    /// The kind of signal.
    public var kind: Kind
    /// The options as JSON text.
    public var options: String

    /// Creates a signal.
    public init(_ kind: Kind, options: String) {
        self.kind = kind
        self.options = options
    }
    /// An empty answer, which only means that the signal is well-formed.
    public typealias Result = Done
}

/// Returns how the agent identifies the app.
public struct AppIdentity: AgentMethod {
    /// `app.identity`.
    public static let name = "app.identity"
    /// Creates a request.
    public init() {}

    /// The app's identity.
    public struct Result: Codable, Hashable, Sendable {
        /// The way in which the app was identified.
        public enum Kind: String, Codable, Sendable {
            /// By its Flatpak sandbox.
            case flatpak
            /// By its executable, which the person or the administrator registered.
            case registered
            /// The app was not identified: it may use only `localhost`.
            case unknown
        }
        /// The way in which the app was identified.
        public var kind: Kind
        /// The identifier that domains list; empty if unknown.
        public var identifier: String
        /// The name for display.
        public var displayName: String
        /// The executable.
        public var executable: String
        /// The domains of its registration; each must also list the app.
        public var domains: [String]

        package init(kind: Kind, identifier: String, displayName: String, executable: String, domains: [String]) {
            self.kind = kind
            self.identifier = identifier
            self.displayName = displayName
            self.executable = executable
            self.domains = domains
        }
    }
}
