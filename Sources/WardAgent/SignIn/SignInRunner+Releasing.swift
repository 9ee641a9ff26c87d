internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

extension SignInRunner {
    // MARK: Releasing

    func release(_ choice: SignInFlow.Choice, isConfirmed: Bool, vault: Vault?) async throws -> AuthorizeApp.Result {
        let (wanted, entry) = (request.requests[choice.request], choice.entry)
        let provider = try provider(entry.provider, vault)
        switch wanted.subject {
        case .assertion(let options):
            let consent = consent(provider, vault, isConfirmed: isConfirmed)
            let response = try await provider.usePasskey(entry, options, page(wanted), consent)
            return AuthorizeApp.Result(request: wanted.index, response: String(decoding: response.json, as: UTF8.self))
        case .password:
            let found = try await provider.password(entry, for: appName)
            noteHandedOut(by: entry.provider, entry.reference, entry.domain, found.user)
            return AuthorizeApp.Result(request: wanted.index, user: found.user, password: found.password)
        case .oneTimeCode:
            return AuthorizeApp.Result(request: wanted.index, code: try await provider.code(entry, for: appName))
        case .registration, .newPassword, .securityKey, .text, .elsewhere:
            throw AgentError(.failed, "nothing is released for this kind")
        }
    }

    private func provider(_ identifier: String, _ vault: Vault?) throws(AgentError) -> any CredentialProvider {
        if identifier == VaultProvider.identifier, let vault {
            return VaultProvider(vault: vault, effects: parts.session.effects)
        }
        return try other(identifier)
    }

    /// A provider in use beside the vault.
    func other(_ identifier: String) throws(AgentError) -> SocketProvider {
        guard let provider = parts.providers.others.first(where: { $0.identifier == identifier }) else {
            throw AgentError(.nothingAvailable, "the provider is no longer in use: try again")
        }
        return provider
    }

    /// What another provider is told of the app.
    ///
    /// Of a page it is told the program that shows the page.
    var appName: String {
        if let app = request.requester.app { return app.identity.nameForProviders }
        let program = request.requester.manager?.peer.executable.split(separator: "/").last.map { String($0) } ?? ""
        return program.cleanedForPrompt
    }

    /// Remembers that a password leaves for the app.
    private func noteHandedOut(by provider: String, _ reference: String, _ domain: String, _ user: String) {
        guard let app = request.requester.app else { return }
        parts.handedOut.note(
            HandedOutPassword(
                app: app.identity,
                provider: provider,
                reference: reference,
                domain: domain,
                user: user
            )
        )
    }

    // MARK: Making

    func makePasskey(
        _ place: SignInFlow.Place,
        _ account: SignInFlow.NewAccount?,
        isConfirmed: Bool
    ) async throws -> AuthorizeApp.Result {
        let wanted = request.requests[place.request]
        guard case .registration(var options, _) = wanted.subject else {
            throw AgentError(.failed, "no passkey is made for this kind")
        }
        if let account {
            options.user.name = account.contact
            options.user.displayName = account.name ?? account.contact
        }
        let vault =
            place.provider == nil ? try await requiredVault() : try await verifyingVault(nil)
        let provider = try provider(place.provider?.identifier ?? VaultProvider.identifier, vault)
        let consent = consent(provider, vault, isConfirmed: isConfirmed)
        let response = try await provider.makePasskey(options, page(wanted), isConditional: false, consent)
        return AuthorizeApp.Result(
            request: wanted.index,
            response: String(decoding: response.json, as: UTF8.self),
            user: account?.contact,
            personName: account?.name
        )
    }

    /// As `ward add --generate` makes them.
    private static let passwordLength = 20

    /// Makes a password, keeps it and hands it out; if the account is known, in its item.
    func makePassword(
        _ place: SignInFlow.Place,
        _ user: String,
        _ domain: String
    ) async throws -> AuthorizeApp.Result {
        let index = request.requests[place.request].index
        let password = RandomPassword.make(length: Self.passwordLength, symbols: true)
        if let provider = place.provider {
            // Handed out only once it is kept.
            let reference = try await other(provider.identifier).save(
                ProviderMessages.Save(
                    app: appName,
                    domain: domain,
                    user: user,
                    password: password,
                    title: "",
                    isGenerated: true
                )
            )
            if let reference { noteHandedOut(by: provider.identifier, reference, domain, user) }
            return AuthorizeApp.Result(request: index, user: user, password: password)
        }
        let vault = try await requiredVault()
        let known = try await vault.logins(of: user, at: domain)
        let now = parts.session.effects.now()
        let id: ItemID
        if let home = known.count == 1 ? known.first?.id : nil {
            try await vault.write { transaction in
                try transaction.update(home) { item in
                    if item.password == nil { item.password = Password(SecretText(password), changedAt: now) }
                    item.password?.change(to: SecretText(password), at: now)
                    item.tags.removeAll { $0 == AppSignal.unusedPasswordTag }
                }
            }
            id = home
        } else {
            let item = Item(
                .login,
                title: domain,
                sites: [Site("https://" + domain)],
                username: user,
                password: Password(SecretText(password), changedAt: now)
            )
            try await vault.write { try $0.add(item) }
            id = item.id
        }
        noteHandedOut(by: VaultProvider.identifier, id.text, domain, user)
        return AuthorizeApp.Result(request: index, user: user, password: password)
    }

    // MARK: Without a question

    static let noUpgrade =
        "no automatic upgrade: the account already has a passkey, or its password was not filled in for this app in the last 5 minutes"

    /// A registration that shows nothing, and either answers or fails.
    func upgrade(_ wanted: SignInRequest.Wanted) async throws -> AuthorizeApp.Result {
        guard case .registration(let options, _) = wanted.subject, let domain = wanted.domains.first,
            let app = request.requester.app
        else { throw AgentError(.invalidCombination, "only the registration of a passkey can be conditional") }
        // The vault is not opened for it: while it is locked, no password of it was handed out moments ago.
        var providers: [any CredentialProvider] = []
        let vault = try await useVault(isNeeded: false).vault
        if let vault { providers.append(VaultProvider(vault: vault, effects: parts.session.effects)) }
        providers += parts.providers.others
        for provider in providers where provider.capabilities.contains([.passkeys, .conditionalRegistration]) {
            let handedOut = parts.handedOut.latest(
                by: provider.identifier,
                to: app.identity,
                for: options.user.name,
                at: domain
            )
            guard let handedOut, try await provider.mayUpgrade(handedOut, for: appName) else { continue }
            let consent = consent(provider, vault, isConfirmed: false, upgrade: handedOut)
            let response = try await provider.makePasskey(options, page(wanted), isConditional: true, consent)
            await parts.asking.notify(
                title: .passkeyMadeTitle,
                text: .passkeyMade(site: .domain(domain), account: .label(options.user.name)),
                request.requester
            )
            return AuthorizeApp.Result(request: wanted.index, response: String(decoding: response.json, as: UTF8.self))
        }
        throw AgentError(.nothingAvailable, Self.noUpgrade)
    }

    // MARK: Ceremonies

    /// The ceremony of a page, with Ward's vault, which is opened when the client has checked the page.
    func performCeremony(_ wanted: SignInRequest.Wanted, _ vault: Vault) async throws -> AuthorizeApp.Result {
        guard case .page(let page) = request.requester else { throw AgentError(.failed, "no page asks") }
        let consent = PromptingConsent(
            asking: parts.asking,
            vault: vault,
            authorization: request.authorization,
            requester: request.requester,
            trouble: trouble,
            quick: parts.session.quick,
            proof: proof
        )
        let fault = UnlockFault()
        let base = SoftwareAuthenticator(
            store: VaultPasskeyStore(vault: vault, effects: parts.session.effects),
            consent: consent,
            effects: parts.session.effects
        )
        let authenticator = UnlockingAuthenticator(base: base, fault: fault) { [self] purpose, sentences in
            _ = try await parts.session.opened(
                request.authorization,
                request.requester,
                to: purpose,
                page: sentences,
                proof: proof
            )
        }
        // No upgrades: no method hands a password to a page, so that none was filled in there.
        let client = WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: .http))
        let mediation = request.mediation ?? .optional
        let json = try await fault.named {
            switch wanted.subject {
            case .assertion(let options): try await client.get(options, from: page.caller, mediation: mediation).json
            case .registration(let options, _):
                try await client.create(options, from: page.caller, mediation: mediation).json
            default: throw AgentError(.failed, "a page asks for passkeys only")
            }
        }
        return AuthorizeApp.Result(request: wanted.index, response: String(decoding: json, as: UTF8.self))
    }

    /// Who asks, in client data and in prompts.
    private func page(_ wanted: SignInRequest.Wanted) throws(AgentError) -> Caller {
        if case .page(let page) = request.requester { return page.caller }
        guard let origin = wanted.origin, let domain = wanted.domains.first, let app = request.requester.app else {
            throw AgentError(.invalidValue, "the domain cannot have passkeys")
        }
        var page = Caller.app(.web(origin), associatedDomains: [domain])
        page.program = CeremonyContext.Caller(name: app.identity.asker, processID: app.pid)
        return page
    }

    /// Who asks the person in a ceremony.
    private func consent(
        _ provider: any CredentialProvider,
        _ vault: Vault?,
        isConfirmed: Bool,
        upgrade: HandedOutPassword? = nil
    ) -> PromptingConsent {
        PromptingConsent(
            asking: parts.asking,
            vault: vault,
            authorization: request.authorization,
            requester: request.requester,
            trouble: trouble,
            quick: parts.session.quick,
            proof: proof,
            sheet: PromptingConsent.Sheet(
                introduction: introduction,
                appName: appName,
                manager: provider.name,
                managerVerifies: provider.verifiesUser,
                isConfirmed: isConfirmed,
                upgrade: upgrade
            )
        )
    }
}
