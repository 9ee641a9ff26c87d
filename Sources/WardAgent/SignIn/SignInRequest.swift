internal import WardAgentClient
internal import WardWebAuthn

/// The requests of an app or a page for one prompt, after they were read and checked: the requester, the possible answers, and
/// the domains.
struct SignInRequest: Sendable {
    /// One possible answer.
    struct Wanted: Sendable {
        /// The purpose of the request.
        enum Subject: Sendable {
            /// A passkey is used.
            case assertion(PublicKeyCredentialRequestOptions)
            /// A new passkey. For a new account, `contacts` lists the kinds of contact that can name the account.
            case registration(PublicKeyCredentialCreationOptions, NewAccount?)
            /// An automatic upgrade: a new passkey without a prompt. It succeeds or fails.
            case upgrade(PublicKeyCredentialCreationOptions)
            /// An existing password.
            case password
            case oneTimeCode
            /// A new password for a user name.
            case newPassword(user: String)
            /// A passkey of a security key. Security keys are not supported yet.
            case securityKey
            /// Any text. The person chooses it in another provider.
            case text
            /// Another account. If the person picks it, the app itself signs in with it.
            case elsewhere

            /// Whether the site wants user verification when a passkey is used or created, if it is possible.
            var asksForVerification: Bool {
                switch self {
                case .assertion(let options): options.userVerification != .discouraged
                case .registration(let options, _), .upgrade(let options):
                    options.authenticatorSelection?.userVerification != .discouraged
                default: false
                }
            }

            var isUpgrade: Bool { if case .upgrade = self { true } else { false } }
            var isForSecurityKey: Bool { if case .securityKey = self { true } else { false } }
            var isText: Bool { if case .text = self { true } else { false } }
            var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }
        }

        /// The index among the app's requests.
        ///
        /// The answer contains it.
        var index: Int
        /// The purpose of the request.
        var subject: Subject
        /// The domains of the request.
        ///
        /// For a passkey it is exactly one.
        var domains: [String]
        /// The origin in the client data.
        var origin: WebOrigin?

        /// Whether the request creates a credential instead of using one.
        var isMaking: Bool {
            switch subject {
            case .registration, .upgrade, .newPassword: true
            default: false
            }
        }

        /// The kind of entry that answers the request.
        var kind: ProviderEntry.Kind? {
            switch subject {
            case .assertion: .passkey
            case .password: .password
            case .oneTimeCode: .oneTimeCode
            default: nil
            }
        }

        /// Whether an entry of a provider answers the request.
        func takes(_ entry: ProviderEntry) -> Bool {
            guard entry.kind == kind, domains.contains(entry.domain) else { return false }
            guard case .assertion(let options) = subject else { return true }
            // If the service reported that it does not know a passkey, the passkey answers only if the request lists it. The
            // report may have been wrong.
            guard !options.allowCredentials.isEmpty else { return !entry.isHidden }
            return options.allowCredentials.contains { $0.id == entry.credentialID }
        }
    }

    /// The data for a new account that the request wants in addition to a passkey.
    struct NewAccount: Sendable {
        var contacts: [String]
        var wantsName: Bool
    }

    /// The person's pick in a text field.
    enum Suggestion: Sendable {
        /// There was no pick: the person is asked.
        case none
        /// The person picked a suggestion that this app received.
        case offer(SignInMemory.Offer)
        /// The picked suggestion was not sent to this app, or is too old.
        case unknown

        var isOffer: Bool { if case .offer = self { true } else { false } }
    }

    /// Who asks.
    var requester: Requester
    /// The possible answers.
    ///
    /// Unknown kinds are left out.
    var requests: [Wanted]
    /// The authorization of the request.
    var authorization = Authorization()
    /// Whether only credentials on this machine are wanted.
    ///
    /// If there are none, an error comes at once without a prompt.
    var prefersImmediatelyAvailable = false
    /// The person's pick in a text field.
    var suggestion = Suggestion.none
    /// Whether the vault had an entry for one of the domains since the agent started.
    var vaultIsKnownToHelp = false
    /// Whether passkeys for a page are searched in all providers, not only in the vault.
    var asksAllProviders = false
    /// The mediation that a page requested.
    var mediation: CredentialMediationRequirement?

    /// What the button of the notification does after an automatic upgrade.
    ///
    /// With `nil` it removes the passkey.
    var undo: (@Sendable (CredentialID) async throws -> Void)?

    /// Whether the person has just agreed in the window of the browser's extension.
    var isPresent = false

    /// Whether a page asks.
    var isPage: Bool { if case .page = requester { true } else { false } }
    /// Whether the request creates a credential instead of using one.
    var isMaking: Bool { requests.contains(where: \.isMaking) }
    /// Whether the request is an automatic upgrade, so no prompt may appear.
    var isUpgrade: Bool { requests.contains(where: \.subject.isUpgrade) }
    /// Whether providers are asked for entries: the request uses a credential, and the person may be asked.
    var isListing: Bool {
        (!isPage || asksAllProviders) && !isMaking && authorization.mayPrompt
    }
    /// All domains of the requests.
    var domains: [String] { requests.reduce(into: []) { $0 += $1.domains.filter { !$0.isEmpty } }.uniqued }
    /// The purpose of unlocking the vault for an app, as the prompt shows it.
    var purpose: PromptPurpose {
        let (sites, more) = (domains.prefix(3).map { CleanText.domain($0) }, max(0, domains.count - 3))
        for case .registration(let options, nil) in requests.map(\.subject) {
            return .makePasskey(account: .name(options.user.name), sites: sites, more: more)
        }
        return .signIn(sites: sites, more: more)
    }
    /// The query for the providers.
    var query: ProviderQuery { ProviderQuery(domains: domains, kinds: Set(requests.compactMap(\.kind))) }

    /// The maximum number of requests for one prompt.
    static let limit = 16
}

extension [String] {
    /// The values without duplicates, in the order of their first occurrence.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
