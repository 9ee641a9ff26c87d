internal import WardAgentClient
internal import WardWebAuthn

/// What an app or a page asks for in one question, read and checked: who it is, what would do, for which of its domains.
struct SignInRequest: Sendable {
    /// One thing that would do.
    struct Wanted: Sendable {
        /// What it is about.
        enum Subject: Sendable {
            /// A passkey is used.
            case assertion(PublicKeyCredentialRequestOptions)
            /// A passkey is made; `contacts` are those that may name a new account, where it is one.
            case registration(PublicKeyCredentialCreationOptions, NewAccount?)
            /// A password that is there.
            case password
            /// A code.
            case oneTimeCode
            /// A password that is made, for a name.
            case newPassword(user: String)
            /// A passkey of a security key. Security keys are not supported yet.
            case securityKey
            /// Any text, which the person chooses in another provider.
            case text
            /// An account from elsewhere, which the app signs in with itself when the person picks it.
            case elsewhere

            /// Whether the site wants to know that it is its person who uses or makes a passkey, if that can be found out.
            var asksForVerification: Bool {
                switch self {
                case .assertion(let options): options.userVerification != .discouraged
                case .registration(let options, _):
                    options.authenticatorSelection?.userVerification != .discouraged
                default: false
                }
            }

            var isForSecurityKey: Bool { if case .securityKey = self { true } else { false } }
            var isText: Bool { if case .text = self { true } else { false } }
            var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }
        }

        /// Its place among the app's requests, which the answer names.
        var index: Int
        /// What it is about.
        var subject: Subject
        /// For which domains: one where a passkey is concerned.
        var domains: [String]
        /// Who asks, in client data.
        var origin: WebOrigin?

        /// Whether something is made, rather than used.
        var isMaking: Bool {
            switch subject {
            case .registration, .newPassword: true
            default: false
            }
        }

        /// What a manager may have for it.
        var kind: ProviderEntry.Kind? {
            switch subject {
            case .assertion: .passkey
            case .password: .password
            case .oneTimeCode: .oneTimeCode
            default: nil
            }
        }

        /// Whether something that a manager has is an answer.
        func takes(_ entry: ProviderEntry) -> Bool {
            guard entry.kind == kind, domains.contains(entry.domain) else { return false }
            guard case .assertion(let options) = subject else { return true }
            // A passkey that the service said it does not know answers only where it is named: the service may be wrong.
            guard !options.allowCredentials.isEmpty else { return !entry.isHidden }
            return options.allowCredentials.contains { $0.id == entry.credentialID }
        }
    }

    /// What a new account wants beside a passkey.
    struct NewAccount: Sendable {
        var contacts: [String]
        var wantsName: Bool
    }

    /// What the person picked in a text field.
    enum Suggestion: Sendable {
        /// Nothing: the person is asked.
        case none
        /// A suggestion that was made to this app.
        case offer(SignInMemory.Offer)
        /// Something that was not suggested to this app, or too long ago.
        case unknown

        var isOffer: Bool { if case .offer = self { true } else { false } }
    }

    /// Who asks.
    var requester: Requester
    /// What would do; kinds that are not known are left out.
    var requests: [Wanted]
    /// Whether nothing may be shown: the one request is a registration that either answers or fails.
    var isConditional = false
    /// How the request is allowed.
    var authorization = Authorization()
    /// Whether only what is here is wanted: with nothing, an error at once and without a question.
    var prefersImmediatelyAvailable = false
    /// What the person picked in a text field.
    var suggestion = Suggestion.none
    /// Whether the vault had something for one of the domains since the agent started.
    var vaultIsKnownToHelp = false
    /// Whether a page's passkeys are looked for in all providers, and not in the vault alone.
    var asksAllProviders = false
    /// What a page said of the way in which the person may be asked.
    var mediation: CredentialMediationRequirement?

    /// Whether a page asks.
    var isPage: Bool { if case .page = requester { true } else { false } }
    /// Whether something is made, rather than used.
    var isMaking: Bool { requests.contains(where: \.isMaking) }
    /// Whether providers are asked what they have: for something that is used, with leave to ask the person.
    var isListing: Bool {
        (!isPage || asksAllProviders) && !isMaking && !isConditional && authorization.mayPrompt
    }
    /// All the domains that are asked about.
    var domains: [String] { requests.reduce(into: []) { $0 += $1.domains.filter { !$0.isEmpty } }.uniqued }
    /// What the vault is opened for, when an app asks.
    var purpose: PromptPurpose {
        let (sites, more) = (domains.prefix(3).map { CleanText.domain($0) }, max(0, domains.count - 3))
        for case .registration(let options, nil) in requests.map(\.subject) {
            return .makePasskey(account: .name(options.user.name), sites: sites, more: more)
        }
        return .signIn(sites: sites, more: more)
    }
    /// What managers are asked for.
    var query: ProviderQuery { ProviderQuery(domains: domains, kinds: Set(requests.compactMap(\.kind))) }

    /// How many requests one sheet may have.
    static let limit = 16
}

extension [String] {
    /// Each once, in the order in which they come first.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
