/// One thing an app would take as its answer.
public struct AppRequest: Codable, Hashable, Sendable {
    /// What is asked for.
    ///
    /// Later versions may add kinds; an agent leaves those it does not know out.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The word on the wire.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A passkey is made.
        public static let passkeyRegistration = Self(rawValue: "passkeyRegistration")
        /// A passkey is used.
        public static let passkeyAssertion = Self(rawValue: "passkeyAssertion")
        /// A credential is made on a security key.
        public static let securityKeyRegistration = Self(rawValue: "securityKeyRegistration")
        /// A security key is used.
        public static let securityKeyAssertion = Self(rawValue: "securityKeyAssertion")
        /// A user name and a password that are kept for one of the app's domains.
        public static let password = Self(rawValue: "password")
        /// A code that changes, for one of the app's domains.
        public static let oneTimeCode = Self(rawValue: "oneTimeCode")
        /// A new password, made and kept.
        public static let newPassword = Self(rawValue: "newPassword")
        /// A passkey and what a new account needs beside it.
        public static let accountCreation = Self(rawValue: "accountCreation")
        /// An account that the person has elsewhere: the agent offers it beside the others, and the app signs in with it.
        public static let otherAccount = Self(rawValue: "otherAccount")
        /// Only in suggestions: opening the locked vault.
        public static let unlock = Self(rawValue: "unlock")
    }

    /// What is asked for.
    public var kind: Kind
    /// The RP ID; for passwords and codes the domain, or absent for all domains of the app.
    public var domain: String?
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` as text, for public keys.
    public var options: String?
    /// `conditional` for a passkey that is made without a question; absent otherwise.
    public var mediation: String?
    /// For `localhost` alone, the origin that client data names, such as `http://localhost:8080`; absent for `https://localhost`.
    ///
    /// Every other domain is its own origin: `https://` and the domain.
    public var origin: String?
    /// For a new password, the name it is to be kept with.
    public var user: String?
    /// What a new account may be named after, best first: `email`, `phoneNumber`.
    public var contacts: [String]?
    /// Whether a new account wants the person's name.
    public var wantsName: Bool?

    /// Asks for a kind.
    public init(_ kind: Kind, domain: String? = nil, options: String? = nil, mediation: String? = nil) {
        self.kind = kind
        self.domain = domain
        self.options = options
        self.mediation = mediation
    }
}

/// Asks the person for one of several credentials, in one question: what an app's sign-in sheet is.
///
/// Kinds that have nothing to offer are left out. The app is who the kernel says it is, and gets an answer only for a domain
/// that names it.
public struct AuthorizeApp: AgentMethod {
    /// `app.authorize`.
    public static let name = "app.authorize"
    /// How it is allowed; without leave to prompt nothing is shown, and only a conditional registration can succeed.
    public var authorization: AppAuthorization
    /// What would do.
    public var requests: [AppRequest]
    /// Only what is here: with nothing, the error `nothingAvailable` at once and without a question.
    public var prefersImmediatelyAvailable: Bool
    /// The suggestion that the person picked in a text field; absent for the sheet.
    public var suggestion: String?

    /// Asks.
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

    /// What the person chose.
    public struct Result: Codable, Sendable {
        /// Which of the requests it answers, counted from 0.
        public var request: Int
        /// `RegistrationResponseJSON` or `AuthenticationResponseJSON` as text, for public keys.
        public var response: String?
        /// The user name, for passwords; what names a new account, for account creation.
        public var user: String?
        /// The password, or the new one.
        public var password: String?
        /// The code.
        public var code: String?
        /// The person's name, where a new account asked for it and they gave it.
        public var personName: String?

        package init(
            request: Int,
            response: String? = nil,
            user: String? = nil,
            password: String? = nil,
            code: String? = nil,
            personName: String? = nil
        ) {
            self.request = request
            self.response = response
            self.user = user
            self.password = password
            self.code = code
            self.personName = personName
        }
    }
}

/// Asks what could be filled into a text field, without asking the person and without any secret.
public struct SuggestForApp: AgentMethod {
    /// `app.suggest`.
    public static let name = "app.suggest"
    /// What would do.
    public var requests: [AppRequest]

    /// Asks.
    public init(requests: [AppRequest]) { self.requests = requests }

    /// What there is.
    public struct Result: Codable, Sendable {
        /// Whether the vault is locked: what it holds is then not known, and there is the one suggestion to unlock it.
        public var isLocked: Bool
        /// What there is, latest use first.
        public var suggestions: [AppSuggestion]

        package init(isLocked: Bool, suggestions: [AppSuggestion]) {
            self.isLocked = isLocked
            self.suggestions = suggestions
        }
    }
}

/// Something that could be filled in.
public struct AppSuggestion: Codable, Hashable, Sendable {
    /// What to say to take it: means something to this agent alone, and for minutes.
    public var id: String
    /// What it is; `unlock` for opening a locked vault.
    public var kind: AppRequest.Kind
    /// Whose it is: the user name.
    public var user: String
    /// The domain it is for.
    public var domain: String
    /// The credential manager that has it.
    public var provider: String

    package init(id: String, kind: AppRequest.Kind, user: String, domain: String, provider: String) {
        self.id = id
        self.kind = kind
        self.user = user
        self.domain = domain
        self.provider = provider
    }
}

/// Opens the vault for an app, because its person wants to pick something; tells nothing.
public struct UnlockForApp: AgentMethod {
    /// `app.unlock`.
    public static let name = "app.unlock"
    /// How it is allowed.
    public var authorization: AppAuthorization
    /// Asks.
    public init(authorization: AppAuthorization = AppAuthorization()) { self.authorization = authorization }
    /// Nothing but that it is done.
    public typealias Result = Done
}

/// Keeps a password that the person typed into an app, after asking them.
public struct SaveForApp: AgentMethod {
    /// `app.save`.
    public static let name = "app.save"
    /// How it is allowed.
    public var authorization: AppAuthorization
    /// The domain it is for.
    public var domain: String
    /// The user name.
    public var user: String
    /// The password.
    public var password: String
    /// What to call it; absent for the domain.
    public var title: String?

    /// Asks.
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
    /// Nothing but that it is done.
    public typealias Result = Done
}

/// Tells the credential managers what a service says of credentials; never answered with what they hold.
public struct SignalFromApp: AgentMethod {
    /// `app.signal`.
    public static let name = "app.signal"

    /// What is said.
    public enum Kind: String, Codable, Sendable {
        /// `UnknownCredentialOptions`.
        case unknownCredential
        /// `AllAcceptedCredentialsOptions`.
        case allAcceptedCredentials
        /// `CurrentUserDetailsOptions`.
        case currentUserDetails
        /// `{"rpId", "name"}`: the account has no password any more.
        case unusedPassword
    }

    /// What is said.
    public var kind: Kind
    /// The options as JSON text.
    public var options: String

    /// Says it.
    public init(_ kind: Kind, options: String) {
        self.kind = kind
        self.options = options
    }
    /// Nothing but that it is well formed.
    public typealias Result = Done
}

/// Asks who the agent takes the app for.
public struct AppIdentity: AgentMethod {
    /// `app.identity`.
    public static let name = "app.identity"
    /// Asks.
    public init() {}

    /// Who it is.
    public struct Result: Codable, Hashable, Sendable {
        /// How it is known.
        public enum Kind: String, Codable, Sendable {
            /// The sandbox it runs in says so, and the kernel vouches for the sandbox.
            case flatpak
            /// The person or the administrator registered the executable.
            case registered
            /// Nobody vouches for it: it may speak for `localhost` alone.
            case unknown
        }
        /// How it is known.
        public var kind: Kind
        /// What domains name it by; empty when it is unknown.
        public var identifier: String
        /// What people see.
        public var displayName: String
        /// What it runs.
        public var executable: String
        /// The domains it says it belongs to; each must name it too.
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
