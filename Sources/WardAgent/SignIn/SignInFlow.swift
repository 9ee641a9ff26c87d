internal import WardAgentClient

/// The steps of one sign-in, from the request to the answer; for apps and for pages.
///
/// The flow decides and does nothing itself: an event comes in, the next action goes out. ``SignInRunner`` performs the actions.
struct SignInFlow: Sendable {
    /// What is there when a sign-in begins.
    struct Surroundings: Sendable {
        /// Whether there is a vault, and it is in use.
        var hasVault: Bool
        /// Why no passkey is made; `nil` where passkeys are on.
        var passkeysOff: AgentError?
        /// The other providers that have passkeys, in their order.
        var passkeyProviders: [Provider] = []
    }

    /// A provider, by what it is known by and what people see.
    struct Provider: Hashable, Sendable {
        var identifier: String
        var name: String
    }

    /// What became of the vault.
    enum VaultState: Hashable, Sendable {
        case open, locked, absent
    }

    /// What happened.
    enum Event: Sendable {
        case started(Surroundings)
        case listed([ProviderEntry], failure: AgentError?, names: [String: String])
        case vault(VaultState)
        case people(People)
        case picked(Int)
        case typed(String)
        case agreed
        /// Whether the account has a password already.
        case account(isKnown: Bool)
    }

    /// What to do next.
    enum Action: Hashable, Sendable {
        /// Ask the other providers what they have.
        case listOthers
        /// Find out whether the vault is open, and open it if it is locked and needed.
        case useVault(isNeeded: Bool)
        /// Ask the vault what it has.
        case listVault
        /// Ask the person for one of several lines.
        case pick([PromptSentence])
        /// Ask the person for a yes.
        case confirm([PromptSentence], agree: PromptWord)
        /// Ask the person to type something.
        case type(Typing, site: CleanText)
        /// Read how the person is reached and called.
        case readPeople
        /// Find out whether an account has a password already.
        case lookUp(user: String, domain: String)

        // The last action of a flow.

        /// Release an entry: sign with a passkey, or hand out a password or a code.
        case release(Choice, isConfirmed: Bool)
        /// Answer that the person signs in with an account from elsewhere.
        case answerElsewhere(request: Int)
        /// Make a passkey.
        case makePasskey(Place, NewAccount?, isConfirmed: Bool)
        /// Make a password.
        case makePassword(request: Int, user: String, domain: String)
        /// Make a passkey without a question, or fail.
        case upgrade(request: Int)
        /// Perform the ceremony of a page with the vault.
        case performCeremony(request: Int)
        case fail(AgentError)
    }

    /// What the person types.
    enum Typing: Hashable, Sendable {
        case email, telephone, name
    }

    /// An entry of a provider, and the request that it answers, by its place among the requests.
    struct Choice: Hashable, Sendable {
        var request: Int
        var entry: ProviderEntry
    }

    /// Where something that is made will be kept.
    struct Place: Hashable, Sendable {
        var request: Int
        /// `nil` for Ward's own vault, which need not be open yet.
        var provider: Provider?
    }

    /// What names a new account.
    struct NewAccount: Hashable, Sendable {
        var contact: String
        var name: String?
    }

    private enum Step: Sendable {
        case beginning
        case listingOthers
        case openingVault
        case listingVault
        case picking(isLocked: Bool, elsewhere: Int?)
        case confirming(Choice)
        case openingForPage
        case making(Making)
        case done
    }

    let request: SignInRequest
    private var step = Step.beginning
    private var found: [ProviderEntry] = []
    private var names: [String: String] = [:]
    private var choices: [Choice] = []
    private var vault = VaultState.absent
    private var failure: AgentError?

    init(_ request: SignInRequest) { self.request = request }

    /// Takes an event.
    ///
    /// - Returns: The next action. An event that does not fit fails the flow.
    mutating func handle(_ event: Event) -> Action {
        switch (step, event) {
        case (.beginning, .started(let surroundings)): return begin(surroundings)
        case (.openingForPage, .vault): return end(.performCeremony(request: 0))
        case (.listingOthers, .listed(let entries, let problem, let names)):
            (found, failure) = (entries, problem)
            self.names = names
            choices = choices(of: entries)
            step = .openingVault
            return .useVault(isNeeded: needsVault)
        case (.openingVault, .vault(let state)):
            vault = state
            guard state == .open else { return offer() }
            step = .listingVault
            return .listVault
        case (.listingVault, .listed(let entries, let problem, let names)):
            failure = problem ?? failure
            self.names.merge(names) { $1 }
            choices = choices(of: entries + found)
            return offer()
        case (.picking(let isLocked, let elsewhere), .picked(let index)):
            return picked(index, isLocked: isLocked, elsewhere: elsewhere)
        case (.confirming(let choice), .agreed): return end(.release(choice, isConfirmed: true))
        case (.making(var making), _):
            let action = making.handle(event)
            step = .making(making)
            return action
        default: return end(.fail(AgentError(.failed, "a sign-in came to a step that it has not")))
        }
    }

    private mutating func end(_ action: Action) -> Action {
        step = .done
        return action
    }

    // MARK: The beginning

    private mutating func begin(_ surroundings: Surroundings) -> Action {
        if request.isPage {
            step = .openingForPage
            return .useVault(isNeeded: true)
        }
        if request.isConditional {
            guard case .registration? = request.requests.first?.subject else {
                return end(
                    .fail(AgentError(.invalidCombination, "only the registration of a passkey can be conditional"))
                )
            }
            return end(surroundings.passkeysOff.map { .fail($0) } ?? .upgrade(request: 0))
        }
        guard request.authorization.mayPrompt else {
            return end(
                .fail(Self.nothing("prompting is disabled for this request, and nothing is released without consent"))
            )
        }
        guard !request.requests.isEmpty else {
            return end(.fail(Self.nothing("this agent knows none of the kinds that are asked for")))
        }
        guard !request.requests.allSatisfy({ $0.subject.isForSecurityKey }) else {
            return end(.fail(Self.nothing("security keys cannot be used on this machine yet: ask for a passkey")))
        }
        guard request.isMaking else {
            if case .unknown = request.suggestion {
                return end(.fail(Self.nothing("the suggestion belongs to another app, or is too old: ask again")))
            }
            step = .listingOthers
            return .listOthers
        }
        var making = Making(request, surroundings)
        let action = making.begin()
        step = .making(making)
        return action
    }

    static func nothing(_ message: String) -> AgentError { AgentError(.nothingAvailable, message) }

    // MARK: The choice

    /// Whether a locked vault is opened before anything is shown.
    ///
    /// An app that wants only what is here gets nothing from a locked vault, unless the vault is known to have had something
    /// for its domains since the agent started: its person is not bothered for nothing. One that asks openly gets the vault
    /// opened, unless another provider has something to show; then opening the vault is one more line of the prompt.
    private var needsVault: Bool {
        if case .offer(let offer) = request.suggestion {
            return offer.entry.map { $0.provider == VaultProvider.identifier } ?? true
        }
        if !choices.isEmpty { return false }
        return !request.prefersImmediatelyAvailable || request.vaultIsKnownToHelp
    }

    /// What there is for each request: passkeys first, then passwords, then codes.
    private func choices(of entries: [ProviderEntry]) -> [Choice] {
        let kinds: [ProviderEntry.Kind] = [.passkey, .password, .oneTimeCode]
        return kinds.flatMap { kind in
            entries.filter { $0.kind == kind }.compactMap { entry in
                request.requests.firstIndex { $0.takes(entry) }.map { Choice(request: $0, entry: entry) }
            }
        }
    }

    private mutating func offer() -> Action {
        var hasPicked = false
        if case .offer(let offer) = request.suggestion {
            hasPicked = offer.entry != nil
            if let entry = offer.entry { choices = choices.filter { $0.entry.isSame(as: entry) } }
        }
        // Whether there is an account from elsewhere is not known here, so it is the last line.
        let elsewhere = request.suggestion.isOffer ? nil : request.requests.firstIndex { $0.subject.isElsewhere }
        guard let first = choices.first else {
            if let elsewhere, !request.prefersImmediatelyAvailable { return end(.answerElsewhere(request: elsewhere)) }
            // An app that falls back to its form is told that it can; one that waits is told what went wrong.
            if let failure, !request.prefersImmediatelyAvailable { return end(.fail(failure)) }
            return end(.fail(Self.nothing("there is nothing here for \(request.domains.joined(separator: ", "))")))
        }
        let isLocked = vault == .locked && !hasPicked
        var lines = choices.map { line($0) }
        guard lines.count > 1 || isLocked || elsewhere != nil else { return releaseOrConfirm(first) }
        if isLocked { lines.append(.lookIntoVault) }
        if elsewhere != nil { lines.append(.signInElsewhere) }
        step = .picking(isLocked: isLocked, elsewhere: elsewhere)
        return .pick(lines)
    }

    private mutating func picked(_ index: Int, isLocked: Bool, elsewhere: Int?) -> Action {
        if choices.indices.contains(index) { return end(.release(choices[index], isConfirmed: true)) }
        if isLocked, index == choices.count {
            step = .openingVault
            return .useVault(isNeeded: true)
        }
        if let elsewhere { return end(.answerElsewhere(request: elsewhere)) }
        return end(.fail(Self.nothing("there is nothing here")))
    }

    /// A passkey asks the person in its ceremony; everything else needs a yes first.
    private mutating func releaseOrConfirm(_ choice: Choice) -> Action {
        guard choice.entry.kind != .passkey else { return end(.release(choice, isConfirmed: false)) }
        step = .confirming(choice)
        return .confirm([line(choice)], agree: .fillIn)
    }

    private func line(_ choice: Choice) -> PromptSentence {
        let entry = choice.entry
        let (account, site) = (CleanText.name(entry.user), CleanText.domain(entry.domain))
        let provider = CleanText.label(names[entry.provider] ?? entry.provider)
        return switch entry.kind {
        case .passkey: .signInWithPasskey(site: site, account: account, provider: provider)
        case .password: .signInWithPassword(site: site, account: account, provider: provider)
        case .oneTimeCode: .fillInCode(site: site, account: account, provider: provider)
        }
    }
}

extension ProviderEntry {
    /// Whether it is what was suggested, whatever happened to it since.
    fileprivate func isSame(as other: ProviderEntry) -> Bool {
        (provider, reference, kind, domain) == (other.provider, other.reference, other.kind, other.domain)
    }
}
