internal import WardAgentClient
internal import WardWebAuthn

/// The steps of one sign-in, from the request to the answer, for apps and for pages.
///
/// The flow only decides. It takes an event and returns the next action. ``SignInRunner`` performs the actions.
struct SignInFlow: Sendable {
    /// The situation when a sign-in begins.
    struct Surroundings: Sendable {
        /// Whether there is a vault, and whether it is enabled.
        var hasVault: Bool
        /// The reason why no passkey can be created, or `nil` if passkeys are on.
        var passkeysOff: AgentError?
        /// The other providers that support passkeys, in their order.
        var passkeyProviders: [Provider] = []
        /// The other providers that save passwords, in their order.
        var savingProviders: [Provider] = []
        /// The other providers that have texts for fields, in their order.
        var textProviders: [Provider] = []
    }

    typealias Provider = ProviderListing.Provider

    /// The vault was opened or stayed locked.
    enum VaultState: Hashable, Sendable {
        case open, locked, absent
    }

    /// What happened.
    enum Event: Sendable {
        case started(Surroundings)
        case listed(ProviderListing)
        /// Another provider answered. The person is picking, or the flow waits for this answer.
        case late(ProviderListing)
        case vault(VaultState)
        /// A locked provider is now unlocked.
        case unlocked
        case people(People)
        case picked(Int)
        case typed(String)
        case agreed
        /// Whether the account already has a password.
        case account(isKnown: Bool)
    }

    /// The next action.
    enum Action: Hashable, Sendable {
        /// Request the entries of the other providers.
        case listOthers
        /// Find out whether the vault is open. Open it if it is locked and needed.
        case useVault(isNeeded: Bool)
        /// List the vault's entries that match the request.
        case listVault
        /// Ask a locked provider to unlock itself with a prompt to its person.
        case unlockProvider(Provider)
        /// Request the entries of one other provider again.
        case listProvider(Provider)
        /// Ask the person to pick one of several lines. Each line is one or more sentences.
        case pick([[PromptSentence]])
        /// Add lines to those that the person picks from.
        case addLines([[PromptSentence]])
        /// Wait until another provider answers.
        case awaitLate
        /// Ask the person to agree.
        case confirm([PromptSentence], agree: PromptWord)
        /// Ask the person to type a text.
        case type(Typing, site: CleanText)
        /// Read the person's contacts and name.
        case readPeople
        /// Find out whether an account already has a password.
        case lookUp(user: String, domain: String)

        // The last action of a flow.

        /// Release an entry: sign with a passkey, or return a password or a code.
        case release(Choice, isConfirmed: Bool)
        /// Answer that the person signs in with another account.
        case answerElsewhere(request: Int)
        /// Make a passkey.
        case makePasskey(Place, NewAccount?, isConfirmed: Bool)
        /// Make a password.
        case makePassword(Place, user: String, domain: String)
        /// Let the person choose a text in a provider.
        case insertText(request: Int, Provider)
        /// Create a passkey without a prompt, or fail.
        case upgrade(request: Int, PublicKeyCredentialCreationOptions)
        /// Perform the ceremony of a page with the vault, and open it if it is locked.
        case performCeremony(request: Int)
        case fail(AgentError)
    }

    /// The text that the person types.
    enum Typing: Hashable, Sendable {
        case email, telephone, name
    }

    /// An entry of a provider, and the index of the request that it answers.
    struct Choice: Hashable, Sendable {
        var request: Int
        var entry: ProviderEntry
    }

    /// The provider that will store a new credential.
    struct Place: Hashable, Sendable {
        var request: Int
        /// It is `nil` for Ward's own vault, which may still be locked.
        var provider: Provider?
    }

    /// The contact that names a new account.
    struct NewAccount: Hashable, Sendable {
        var contact: String
        var name: String?
    }

    /// A line that the person can pick.
    private enum Option: Sendable {
        case entry(Choice)
        case vault
        case provider(Provider)
        /// A text of a provider, and the request that it answers.
        case text(Int, Provider)
        /// Another account, and the request that it answers.
        case elsewhere(Int)
    }

    private enum Step: Sendable {
        case beginning
        case listingOthers
        case openingVault
        case listingVault
        case picking([Option])
        case awaiting
        case confirming(Option)
        case unlocking(Provider, Choice?)
        case listingAgain(Provider)
        case making(Making)
        case done
    }

    let request: SignInRequest
    private var step = Step.beginning
    private var found: [ProviderEntry] = []
    /// The other providers that are locked.
    private var locked: [Provider] = []
    /// The number of other providers that have not answered yet.
    private var pending = 0
    private var textProviders: [Provider] = []
    private var providers: [String: Provider] = [:]
    /// The entries of the vault.
    private var own: [ProviderEntry] = []
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
        case (.listingOthers, .listed(let listing)):
            take(listing)
            choices = choices(of: found)
            if request.isPage, !request.suggestion.isOffer, choices.isEmpty, locked.isEmpty, pending == 0 {
                return end(.performCeremony(request: 0))
            }
            step = .openingVault
            return .useVault(isNeeded: needsVault)
        case (.openingVault, .vault(let state)):
            vault = state
            guard state == .open else { return offer() }
            step = .listingVault
            return .listVault
        case (.listingVault, .listed(let listing)):
            failure = listing.failure ?? failure
            providers.merge(listing.providers) { $1 }
            own = listing.entries
            choices = choices(of: own + found)
            return offer()
        case (.picking(let options), .picked(let index)) where options.indices.contains(index):
            return picked(options[index])
        case (.picking(let options), .late(let listing)): return add(listing, to: options)
        case (.awaiting, .late(let listing)):
            take(listing)
            choices = choices(of: own + found)
            return offer()
        case (.confirming(let option), .agreed): return picked(option)
        case (.unlocking(_, let choice?), .unlocked): return end(.release(choice, isConfirmed: true))
        case (.unlocking(let provider, nil), .unlocked):
            step = .listingAgain(provider)
            return .listProvider(provider)
        case (.listingAgain(let provider), .listed(let listing)):
            // A provider that reports that it is still locked is not offered again.
            locked.removeAll { $0 == provider }
            failure = listing.failure ?? failure
            found = found.filter { $0.provider != provider.identifier } + listing.entries
            choices = choices(of: own + found)
            return offer()
        case (.making(var making), _):
            let action = making.handle(event)
            step = .making(making)
            return action
        default: return end(.fail(AgentError(.failed, "the sign-in got an event that does not belong to its step")))
        }
    }

    private mutating func end(_ action: Action) -> Action {
        step = .done
        return action
    }

    // MARK: The beginning

    private mutating func begin(_ surroundings: Surroundings) -> Action {
        if request.isPage, !request.isUpgrade {
            // If no other provider supports passkeys, only the vault takes part in the ceremony. The vault is opened after the
            // client has checked the page, so that one prompt is enough.
            guard request.suggestion.isOffer || request.asksAllProviders && !surroundings.passkeyProviders.isEmpty,
                surroundings.passkeysOff == nil
            else { return end(.performCeremony(request: 0)) }
            guard request.isMaking else {
                step = .listingOthers
                return .listOthers
            }
        }
        if case .upgrade(let options)? = request.requests.first?.subject {
            return end(surroundings.passkeysOff.map { .fail($0) } ?? .upgrade(request: 0, options))
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
            textProviders = surroundings.textProviders
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

    /// Whether a locked vault is opened before the prompt with the entries.
    ///
    /// If an app wants only credentials on this machine, a locked vault is opened only if it is known to have an entry for the
    /// app's domains since the agent started. So the person gets no useless prompt. For any other request of an app the vault
    /// is opened, unless another provider has an entry to show. In that case, opening the vault is one more line of the prompt.
    private var needsVault: Bool {
        if case .offer(let offer) = request.suggestion {
            return offer.entry.map { $0.provider == VaultProvider.identifier } ?? true
        }
        if !choices.isEmpty || request.query.kinds.isEmpty { return false }
        if request.prefersImmediatelyAvailable { return request.vaultIsKnownToHelp }
        return locked.isEmpty && pending == 0
    }

    /// Adds the entries of other providers.
    private mutating func take(_ listing: ProviderListing) {
        found += listing.entries
        failure = failure ?? listing.failure
        providers.merge(listing.providers) { $1 }
        locked += listing.locked
        pending = listing.pending
    }

    /// Adds the entries of a slow provider to the lines that the person picks from.
    private mutating func add(_ listing: ProviderListing, to options: [Option]) -> Action {
        take(listing)
        let joining = choices(of: listing.entries)
        choices += joining
        let silent = listing.locked.filter { provider in
            !joining.contains { $0.entry.provider == provider.identifier }
        }
        let more = joining.map { Option.entry($0) } + silent.map { .provider($0) }
        step = .picking(options + more)
        return .addLines(more.map { lines($0) })
    }

    /// The entries for each request: first passkeys, then passwords, then codes.
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
        // The agent does not know whether the person has another account, so this is the last line.
        let elsewhere = request.suggestion.isOffer ? nil : request.requests.firstIndex { $0.subject.isElsewhere }
        var options = choices.map { Option.entry($0) }
        if !hasPicked, !request.prefersImmediatelyAvailable || !choices.isEmpty {
            if vault == .locked { options.append(.vault) }
            options += locked.filter { provider in !choices.contains { $0.entry.provider == provider.identifier } }
                .map { .provider($0) }
        }
        if !request.suggestion.isOffer, let wanted = request.requests.firstIndex(where: { $0.subject.isText }) {
            options += textProviders.map { .text(wanted, $0) }
        }
        guard !options.isEmpty else {
            if pending > 0 {
                step = .awaiting
                return .awaitLate
            }
            if request.isPage, !request.suggestion.isOffer { return end(.performCeremony(request: 0)) }
            if let elsewhere, !request.prefersImmediatelyAvailable { return end(.answerElsewhere(request: elsewhere)) }
            // An app that wants only credentials on this machine learns that there are none, so that it can show its own form.
            // For other requests the app learns what went wrong.
            if let failure, !request.prefersImmediatelyAvailable { return end(.fail(failure)) }
            return end(.fail(Self.nothing("there is nothing here for \(request.domains.joined(separator: ", "))")))
        }
        if let elsewhere { options.append(.elsewhere(elsewhere)) }
        // While another provider is asked, its entries can still be added.
        guard options.count > 1 || pending > 0 && !hasPicked else { return releaseOrConfirm(options[0]) }
        step = .picking(options)
        return .pick(options.map { lines($0) })
    }

    /// The person picked a line, or agreed to the only one.
    private mutating func picked(_ option: Option) -> Action {
        switch option {
        case .entry(let choice) where choice.entry.isLocked: return unlock(provider(of: choice.entry), for: choice)
        case .entry(let choice): return end(.release(choice, isConfirmed: true))
        case .vault:
            step = .openingVault
            return .useVault(isNeeded: true)
        case .provider(let provider): return unlock(provider, for: nil)
        case .text(let index, let provider): return end(.insertText(request: index, provider))
        case .elsewhere(let index): return end(.answerElsewhere(request: index))
        }
    }

    private mutating func unlock(_ provider: Provider, for choice: Choice?) -> Action {
        step = .unlocking(provider, choice)
        return .unlockProvider(provider)
    }

    private func provider(of entry: ProviderEntry) -> Provider {
        providers[entry.provider] ?? Provider(identifier: entry.provider, name: entry.provider)
    }

    /// For a passkey that can be used at once, the ceremony asks the person.
    ///
    /// For every other entry the person must agree first.
    private mutating func releaseOrConfirm(_ option: Option) -> Action {
        if request.isPresent { return picked(option) }
        if case .entry(let choice) = option, choice.entry.kind == .passkey, !choice.entry.isLocked {
            return end(.release(choice, isConfirmed: false))
        }
        step = .confirming(option)
        return .confirm(lines(option), agree: agree(option))
    }

    private func agree(_ option: Option) -> PromptWord {
        switch option {
        case .entry(let choice): choice.entry.kind == .passkey ? .signIn : .fillIn
        case .vault, .provider: .unlock
        case .text: .goOn
        case .elsewhere: .signIn
        }
    }

    private func lines(_ option: Option) -> [PromptSentence] {
        switch option {
        case .entry(let choice):
            let provider = provider(of: choice.entry)
            let isVerified =
                provider.verifiesUser && request.requests[choice.request].subject.asksForVerification
            return [line(choice)] + (isVerified ? [.providerVerifies(provider: .label(provider.name))] : [])
        case .vault: return [.lookIntoVault]
        case .provider(let provider): return [.lookIntoProvider(provider: .label(provider.name))]
        case .text(_, let provider): return [.chooseText(provider: .label(provider.name))]
        case .elsewhere: return [.signInElsewhere]
        }
    }

    private func line(_ choice: Choice) -> PromptSentence {
        let entry = choice.entry
        let (account, site) = (CleanText.name(entry.user), CleanText.domain(entry.domain))
        let provider = CleanText.label(provider(of: entry).name)
        return switch entry.kind {
        case .passkey: .signInWithPasskey(site: site, account: account, provider: provider)
        case .password: .signInWithPassword(site: site, account: account, provider: provider)
        case .oneTimeCode: .fillInCode(site: site, account: account, provider: provider)
        }
    }
}

extension ProviderEntry {
    /// Whether an entry is the suggested one, even if it has changed since.
    fileprivate func isSame(as other: ProviderEntry) -> Bool {
        (provider, reference, kind, domain) == (other.provider, other.reference, other.kind, other.domain)
    }
}
