internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

/// One sheet from the question to the answer.
struct SheetDesk: Sendable {
    let signIn: AppSignIn
    let sheet: SignInRequest
    let method: AuthorizeApp
    let app: AppProgram
    /// Why the person could not be asked, if so.
    let trouble = PromptTrouble()

    /// Something the person can pick: an entry of a manager, and the request that it answers.
    struct Choice: Sendable {
        var request: SignInRequest.Wanted
        var entry: ProviderEntry
        var provider: any CredentialProvider
    }

    func answer() async throws -> AuthorizeApp.Result {
        if sheet.isConditional { return try await makeSilently() }
        guard method.authorization.mayPrompt else {
            throw AgentError(
                .nothingAvailable,
                "prompting is disabled for this request, and nothing is released without consent"
            )
        }
        guard !sheet.requests.isEmpty else {
            throw AgentError(.nothingAvailable, "this agent knows none of the kinds that are asked for")
        }
        let isForSecurityKeys = sheet.requests.allSatisfy {
            if case .securityKey = $0.subject { true } else { false }
        }
        guard !isForSecurityKeys else {
            throw AgentError(.nothingAvailable, "security keys cannot be used on this machine yet: ask for a passkey")
        }
        return sheet.isMaking ? try await make() : try await use()
    }

    // MARK: Using

    private func use() async throws -> AuthorizeApp.Result {
        let picked = try offer()
        let others: [any CredentialProvider] = signIn.providers.others
        let (found, problem) = try await signIn.providers.entries(sheet.query, of: others)
        var failure = problem
        var choices = self.choices(found, others)
        var vault = try await openVault(isNeeded: needsVault(picked, hasOthers: !choices.isEmpty))
        while true {
            if let vault {
                let own = VaultProvider(vault: vault, effects: signIn.session.effects)
                let (entries, problem) = try await signIn.providers.entries(sheet.query, of: [own])
                for entry in entries { signIn.memory.noteVaultKnows(entry.domain) }
                choices = self.choices(entries + found, [own] + others)
                failure = problem ?? failure
            }
            if let entry = picked?.entry {
                choices = choices.filter { $0.entry.isSame(as: entry) }
            }
            let isLocked = vault == nil && !choices.isEmpty ? await signIn.isVaultLocked : false
            let elsewhere = picked == nil ? self.elsewhere : nil
            if choices.isEmpty, let elsewhere, !method.prefersImmediatelyAvailable {
                return AuthorizeApp.Result(request: elsewhere.index)
            }
            guard !choices.isEmpty else { throw nothing(failure) }
            let pick = try await choose(
                choices,
                isLocked: isLocked && picked?.entry == nil,
                hasElsewhere: elsewhere != nil
            )
            switch pick {
            case .elsewhere:
                guard let elsewhere else { throw nothing(failure) }
                return AuthorizeApp.Result(request: elsewhere.index)
            case .unlock:
                vault = try await openVault(isNeeded: true)
            case .entry(let choice, let isConfirmed):
                return try await handOut(choice, isConfirmed: isConfirmed, vault: try await verifyingVault(vault))
            }
        }
    }

    /// What the person picked in a text field.
    private func offer() throws(AgentError) -> SheetMemory.Offer? {
        guard let id = method.suggestion else { return nil }
        guard let offer = signIn.memory.offer(id, to: sheet.app) else {
            throw AgentError(.nothingAvailable, "the suggestion is none of this app's, or too old: ask again")
        }
        return offer
    }

    /// Whether a locked vault is opened before anything is shown.
    ///
    /// An app that wants only what is here gets nothing from a locked vault, unless the vault is known to have had something
    /// for its domains since the agent started: its person is not bothered for nothing. One that asks openly gets the vault
    /// opened, unless another manager has something to show; then opening the vault is one more line of the sheet.
    private func needsVault(_ picked: SheetMemory.Offer?, hasOthers: Bool) -> Bool {
        if let picked { return picked.entry.map { $0.provider == VaultProvider.identifier } ?? true }
        if hasOthers { return false }
        return !method.prefersImmediatelyAvailable || signIn.memory.vaultKnows(sheet.domains)
    }

    /// Ward's vault, open; `nil` where it is not in use, is not there, or stays locked.
    func openVault(isNeeded: Bool) async throws -> Vault? {
        guard signIn.hasVault else { return nil }
        let vault = try await signIn.session.file()
        guard await vault.isLocked else { return vault }
        guard isNeeded else { return nil }
        return try await signIn.session.opened(
            Authorization(method.authorization),
            .app(app),
            purpose: "sign in to \(sheet.places)",
            asker: introduction
        )
    }

    /// The vault whose passphrase shows who the person is, open or not, also where it is not in use as a manager.
    func verifyingVault(_ vault: Vault?) async throws -> Vault? {
        if let vault { return vault }
        guard signIn.session.hasVault else { return nil }
        return try await signIn.session.file()
    }

    /// The request for an account from elsewhere: whether there is one is not known here, so it is the last line of a sheet.
    private var elsewhere: SignInRequest.Wanted? {
        sheet.requests.first { if case .elsewhere = $0.subject { true } else { false } }
    }

    private func nothing(_ failure: AgentError?) -> AgentError {
        // An app that falls back to its form is told that it can; one that waits is told what went wrong.
        if let failure, !method.prefersImmediatelyAvailable { return failure }
        return AgentError(.nothingAvailable, "there is nothing here for \(sheet.domains.joined(separator: ", "))")
    }

    /// What there is for each request: passkeys first, then passwords, then codes.
    private func choices(_ entries: [ProviderEntry], _ providers: [any CredentialProvider]) -> [Choice] {
        let kinds: [ProviderEntry.Kind] = [.passkey, .password, .oneTimeCode]
        return kinds.flatMap { kind in
            entries.filter { $0.kind == kind }.compactMap { entry in
                guard let request = sheet.requests.first(where: { $0.takes(entry) }),
                    let provider = providers.first(where: { $0.identifier == entry.provider })
                else { return nil }
                return Choice(request: request, entry: entry, provider: provider)
            }
        }
    }

    // MARK: Handing out

    private func handOut(_ choice: Choice, isConfirmed: Bool, vault: Vault?) async throws -> AuthorizeApp.Result {
        switch choice.request.subject {
        case .assertion(let options):
            let consent = consent(choice.provider.name, vault, isConfirmed: isConfirmed)
            let response = try await choice.provider.usePasskey(choice.entry, options, page(choice.request), consent)
            return AuthorizeApp.Result(
                request: choice.request.index,
                response: String(decoding: response.json, as: UTF8.self)
            )
        case .password:
            if !isConfirmed { try await confirm(choice) }
            let found = try await choice.provider.password(choice.entry, for: sheet.app.nameForProviders)
            noteHandedOut(by: choice.entry.provider, choice.entry.reference, choice.entry.domain, found.user)
            return AuthorizeApp.Result(request: choice.request.index, user: found.user, password: found.password)
        case .oneTimeCode:
            if !isConfirmed { try await confirm(choice) }
            let code = try await choice.provider.code(choice.entry, for: sheet.app.nameForProviders)
            return AuthorizeApp.Result(request: choice.request.index, code: code)
        case .registration, .newPassword, .securityKey, .elsewhere:
            throw AgentError(.failed, "nothing is handed out for this kind")
        }
    }

    /// Remembers that a password leaves for the app.
    func noteHandedOut(by provider: String, _ reference: String, _ domain: String, _ user: String) {
        signIn.handedOut.note(
            HandedOutPassword(app: sheet.app, provider: provider, reference: reference, domain: domain, user: user)
        )
    }

    /// Who asks, in client data and in prompts.
    func page(_ request: SignInRequest.Wanted) throws(AgentError) -> Caller {
        guard let origin = request.origin, let domain = request.domains.first else {
            throw AgentError(.invalidValue, "the domain cannot have passkeys")
        }
        var page = Caller.app(.web(origin), associatedDomains: [domain])
        page.program = CeremonyContext.Caller(name: asker, processID: app.pid)
        return page
    }

    /// Who asks the person in a ceremony.
    func consent(
        _ manager: String,
        _ vault: Vault?,
        isConfirmed: Bool,
        upgrade: HandedOutPassword? = nil
    ) -> PromptingConsent {
        PromptingConsent(
            asking: signIn.asking,
            vault: vault,
            authorization: Authorization(method.authorization),
            requester: .app(app),
            trouble: trouble,
            sheet: PromptingConsent.Sheet(
                introduction: introduction,
                appName: sheet.app.nameForProviders,
                manager: manager,
                isConfirmed: isConfirmed,
                upgrade: upgrade
            )
        )
    }

    var asker: String { sheet.app.asker }

    /// Who asks, in full; that `localhost` is nobody's is said where it is one of several.
    var introduction: String {
        let local = sheet.domains.first { $0 == "localhost" || $0.hasSuffix(".localhost") }
        return sheet.app.introduction(speakingFor: local ?? sheet.domains.first ?? "")
    }
}

extension ProviderEntry {
    /// Whether it is what was suggested, whatever happened to it since.
    fileprivate func isSame(as other: ProviderEntry) -> Bool {
        (provider, reference, kind, domain) == (other.provider, other.reference, other.kind, other.domain)
    }
}

extension AppSignIn {
    /// Whether there is a vault, and it is in use.
    var hasVault: Bool { providers.isVaultEnabled && session.hasVault }

    /// Whether there is a vault in use that is locked.
    var isVaultLocked: Bool { get async { providers.isVaultEnabled ? await session.isLocked : false } }
}
