internal import Synchronization
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// The parts of the agent that sign-ins need.
struct SignInParts: Sendable {
    let session: VaultSession
    let providers: Providers
    let memory: SignInMemory
    let handedOut: RecentReleases<HandedOutPassword>
    let signedIn: RecentReleases<SignedInPasskey>

    var asking: Asking { session.asking }
    /// Removes a passkey that was created without a prompt; the item's history still has it.
    func removePasskey(_ id: CredentialID, _ requester: Requester) async throws {
        try await session.working {
            let vault = try await session.opened(Authorization(), requester, to: .removePasskey)
            do {
                try await vault.removePasskey(credentialID: id)
            } catch let error as VaultError where error.code == .itemMissing {
                // The person removed it before.
            }
        }
    }

    /// Whether there is a vault, and whether it is enabled.
    var hasVault: Bool { providers.isVaultEnabled && session.hasVault }
    /// Whether there is an enabled vault that is locked.
    var isVaultLocked: Bool { get async { providers.isVaultEnabled ? await session.isLocked : false } }
}

/// Performs the actions that a ``SignInFlow`` decides.
struct SignInRunner: Sendable {
    let parts: SignInParts
    let request: SignInRequest
    /// Why no prompt could be shown; empty if each prompt was shown.
    let trouble = PromptTrouble()
    /// Whether the person was verified when they opened the vault for this sign-in.
    let proof = CeremonyProof()

    /// Runs a sign-in to its end.
    func run() async throws -> AuthorizeApp.Result {
        var flow = SignInFlow(request)
        var vault: Vault?
        var event = SignInFlow.Event.started(surroundings)
        let others = parts.providers.ask(request.query, of: request.isListing ? parts.providers.others : [])
        defer { Task { await others.end() } }
        while true {
            switch flow.handle(event) {
            case .listOthers:
                let listing = try await others.first(parts.providers.connections.joining)
                parts.providers.note(listing)
                event = .listed(listing)
            case .useVault(let isNeeded):
                let state = try await useVault(isNeeded: isNeeded)
                vault = state.vault
                event = .vault(state.state)
            case .listVault:
                guard let vault else { throw Self.noVault }
                event = try await listed([parts.session.provider(of: vault)])
            case .unlockProvider(let provider):
                try await other(provider.identifier).unlock(for: appName)
                event = .unlocked
            case .listProvider(let provider): event = try await listed([other(provider.identifier)])
            case .pick(let lines): event = .picked(try await pick(lines, joinedBy: others, &flow))
            case .addLines: throw AgentError(.failed, "the sign-in added lines, but no list is open")
            case .awaitLate:
                let listing = await others.next()
                try Task.checkCancellation()
                event = .late(listing ?? ProviderListing())
            case .confirm(let sentences, let agree):
                let question = Question(sentences, asker: introduction, agree: agree)
                try await parts.asking.inTurn(request.requester) { try await $0.confirm(question) }
                event = .agreed
            case .type(let typing, let site): event = .typed(try await type(typing, site))
            case .readPeople:
                vault = try await useVault(isNeeded: true).vault
                event = .people(try await People(vault))
            case .lookUp(let user, let domain):
                vault = try await requiredVault()
                event = .account(isKnown: try await vault?.logins(of: user, at: domain).count == 1)

            case .release(let choice, let isConfirmed):
                return try await release(choice, isConfirmed: isConfirmed, vault: try await verifyingVault(vault))
            case .answerElsewhere(let index): return AuthorizeApp.Result(request: request.requests[index].index)
            case .makePasskey(let place, let account, let isConfirmed):
                return try await makePasskey(place, account, isConfirmed: isConfirmed)
            case .makePassword(let place, let user, let domain): return try await makePassword(place, user, domain)
            case .insertText(let index, let provider):
                let text = try await other(provider.identifier).textToInsert(for: appName)
                return AuthorizeApp.Result(request: request.requests[index].index, text: text)
            case .upgrade(let index, let options): return try await upgrade(request.requests[index], options)
            case .performCeremony(let index):
                return try await performCeremony(request.requests[index], try await parts.session.file())
            case .fail(let error): throw error
            }
        }
    }

    private var surroundings: SignInFlow.Surroundings {
        let providers = parts.providers
        return SignInFlow.Surroundings(
            hasVault: parts.hasVault,
            passkeysOff: providers.arePasskeysOn ? nil : providers.passkeysOff,
            passkeyProviders: providers.others.filter { $0.capabilities.contains(.passkeys) }.map {
                SignInFlow.Provider($0)
            },
            savingProviders: providers.othersThatSave.map { SignInFlow.Provider($0) },
            textProviders: providers.others.filter { $0.capabilities.contains(.textToInsert) }.map {
                SignInFlow.Provider($0)
            }
        )
    }

    private func listed(_ providers: [any CredentialProvider]) async throws -> SignInFlow.Event {
        let listing = try await parts.providers.entries(request.query, of: providers)
        for entry in listing.entries where entry.provider == VaultProvider.identifier {
            parts.memory.noteVaultKnows(entry.domain)
        }
        return .listed(listing)
    }

    // MARK: The vault

    static var noVault: AgentError {
        AgentError(.nothingAvailable, "there is no vault on this machine yet. Make one: ward init")
    }

    /// Ward's vault for this sign-in.
    ///
    /// It is `nil` if the vault is not enabled, does not exist, or stays locked.
    func useVault(isNeeded: Bool) async throws -> (vault: Vault?, state: SignInFlow.VaultState) {
        if !request.isPage || !isNeeded {
            guard parts.hasVault else { return (nil, .absent) }
            let vault = try await parts.session.file()
            guard await vault.isLocked else { return (vault, .open) }
            guard isNeeded else { return (nil, .locked) }
        }
        let opened = try await parts.session.opened(
            request.authorization,
            request.requester,
            to: request.purpose,
            asker: request.isPage ? nil : introduction,
            // The prompt to unlock the vault does not show the page's own host. The later prompt of the ceremony shows it.
            proof: request.isPage ? nil : proof
        )
        return (opened, .open)
    }

    func requiredVault() async throws -> Vault {
        guard let vault = try await useVault(isNeeded: true).vault else { throw Self.noVault }
        return vault
    }

    /// The vault whose passphrase verifies the person.
    ///
    /// It can be locked, and it need not be enabled as a provider.
    func verifyingVault(_ vault: Vault?) async throws -> Vault? {
        if let vault { return vault }
        guard parts.session.hasVault else { return nil }
        return try await parts.session.file()
    }

    // MARK: Asking

    /// The full description of the requester, with a warning if one of the domains is `localhost`.
    var introduction: [[PromptSentence]] {
        request.requester.app?.identity.introduction(speakingFor: request.domains) ?? request.requester.introduction
    }

    /// The line that the person picks.
    ///
    /// Providers that answer in the meantime add their lines.
    private func pick(
        _ lines: [[PromptSentence]],
        joinedBy others: ProviderAnswers,
        _ flow: inout SignInFlow
    ) async throws -> Int {
        let shown = GrowingLines(lines)
        return try await withThrowingTaskGroup(of: Meanwhile.self) { group in
            group.addTask { .picked(try await pick(shown)) }
            group.addTask { .joined(await others.next()) }
            while let next = try await group.next() {
                switch next {
                case .picked(let index):
                    group.cancelAll()
                    return index
                case .joined(let listing?):
                    parts.providers.note(listing)
                    if case .addLines(let more) = flow.handle(.late(listing)) { shown.add(more) }
                    group.addTask { .joined(await others.next()) }
                case .joined(nil): continue
                }
            }
            throw PromptRefusal.declined
        }
    }

    /// The events while the person picks.
    private enum Meanwhile: Sendable {
        case picked(Int)
        case joined(ProviderListing?)
    }

    private func pick(_ lines: GrowingLines) async throws -> Int {
        try await parts.asking.inTurn(request.requester) { turn in
            try await turn.pick { () -> [Question] in
                let all = lines.all
                return all.enumerated().map { index, line in
                    Question(
                        line + [.lineNumber(index + 1, of: all.count)],
                        asker: introduction,
                        agree: .thisOne
                    )
                }
            }
        }
    }

    /// A line of text that the person types.
    private func type(_ typing: SignInFlow.Typing, _ site: CleanText) async throws -> String {
        let (label, sentence): (PromptWord, PromptSentence) =
            switch typing {
            case .email: (.email, .typeEmail(site: site))
            case .telephone: (.telephone, .typeTelephone(site: site))
            case .name: (.name, .typeName(site: site))
            }
        let question = Question([sentence], asker: introduction, agree: .goOn)
        return try await parts.asking.inTurn(request.requester) { turn in
            try await turn.type(label, question) { typed in
                switch typing {
                case .email: People.problem(email: typed)
                case .telephone: People.problem(telephone: typed)
                case .name: People.problem(name: typed)
                }
            }
        }
    }
}

/// Lines that a person picks from.
///
/// More lines can be added.
private final class GrowingLines: Sendable {
    private let lines: Mutex<[[PromptSentence]]>
    var all: [[PromptSentence]] { lines.withLock { $0 } }

    init(_ lines: [[PromptSentence]]) { self.lines = Mutex(lines) }

    func add(_ more: [[PromptSentence]]) { lines.withLock { $0 += more } }
}
