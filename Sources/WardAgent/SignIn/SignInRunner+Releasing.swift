internal import Logging
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
            if provider is VaultProvider { noteSignedIn(response, entry.domain) }
            return AuthorizeApp.Result(request: wanted.index, response: String(decoding: response.json, as: UTF8.self))
        case .password:
            let found = try await provider.password(entry, for: appName)
            noteHandedOut(by: entry.provider, entry.reference, entry.domain, found.user)
            return AuthorizeApp.Result(request: wanted.index, user: found.user, password: found.password)
        case .oneTimeCode:
            return AuthorizeApp.Result(request: wanted.index, code: try await provider.code(entry, for: appName))
        case .registration, .upgrade, .newPassword, .securityKey, .text, .elsewhere:
            throw AgentError(.failed, "a request of this kind releases no credential")
        }
    }

    private func provider(_ identifier: String, _ vault: Vault?) throws(AgentError) -> any CredentialProvider {
        if identifier == VaultProvider.identifier, let vault {
            return parts.session.provider(of: vault)
        }
        return try other(identifier)
    }

    /// An enabled provider other than the vault.
    func other(_ identifier: String) throws(AgentError) -> SocketProvider {
        guard let provider = parts.providers.others.first(where: { $0.identifier == identifier }) else {
            throw AgentError(.nothingAvailable, "the provider is no longer in use: try again")
        }
        return provider
    }

    /// The information about the app that another provider gets.
    ///
    /// For a page, the provider learns the program that shows the page.
    var appName: String {
        if let app = request.requester.app { return app.identity.nameForProviders }
        if case .page(let page) = request.requester, let shown = page.shown { return shown.browser.identity.name }
        let program = request.requester.peer?.executable.split(separator: "/").last.map { String($0) } ?? ""
        return program.cleanedForPrompt
    }

    /// Records that the app or the page receives a password.
    private func noteHandedOut(by provider: String, _ reference: String, _ domain: String, _ user: String) {
        guard let recipient = request.requester.recipient else { return }
        parts.handedOut.note(
            HandedOutPassword(
                recipient: recipient,
                provider: provider,
                reference: reference,
                domain: domain,
                user: user
            )
        )
    }

    /// Records that the app or the page got a signature of a passkey of the vault.
    private func noteSignedIn(_ response: AuthenticationResponse, _ rpID: String) {
        guard let recipient = request.requester.recipient else { return }
        parts.signedIn.note(
            SignedInPasskey(
                recipient: recipient,
                provider: VaultProvider.identifier,
                rpID: rpID,
                credentialID: response.id
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
            throw AgentError(.failed, "a request of this kind creates no passkey")
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

    /// The length of a generated password, the same as of `ward add --generate`.
    private static let passwordLength = 20

    /// Generates a password, saves it and returns it to the app.
    ///
    /// If the account is known, the password is saved in its item.
    func makePassword(
        _ place: SignInFlow.Place,
        _ user: String,
        _ domain: String
    ) async throws -> AuthorizeApp.Result {
        let index = request.requests[place.request].index
        let password = RandomPassword.make(length: Self.passwordLength, symbols: true)
        if let provider = place.provider {
            // The password is returned only after it was saved.
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
        "no passkey without a prompt: the account already has a passkey, or this app did not get its password in the last 5 "
        + "minutes"

    /// Creates a passkey beside a password that this app or page got in the last minutes, or beside a passkey that signed in there,
    /// without a prompt.
    ///
    /// It succeeds or fails.
    func upgrade(
        _ wanted: SignInRequest.Wanted,
        _ options: PublicKeyCredentialCreationOptions
    ) async throws -> AuthorizeApp.Result {
        guard let domain = wanted.domains.first, let recipient = request.requester.recipient else {
            throw AgentError(.nothingAvailable, Self.noUpgrade)
        }
        // The vault is not opened for this. While it is locked, none of its passwords can have been released in the last
        // minutes.
        var providers: [any CredentialProvider] = []
        let vault = try await useVault(isNeeded: false).vault
        if let vault { providers.append(parts.session.provider(of: vault)) }
        providers += parts.providers.others
        for provider in providers where provider.capabilities.contains([.passkeys, .conditionalRegistration]) {
            guard let ground = try await ground(provider, recipient, options, domain) else { continue }
            let consent = consent(provider, vault, isConfirmed: false, upgrade: ground)
            let response = try await provider.makePasskey(options, page(wanted), isConditional: true, consent)
            let made = response.id
            let undoing: @Sendable () async -> Void = { await undo(made) }
            await parts.asking.notify(
                title: .passkeyMadeTitle,
                text: .passkeyMade(site: .domain(domain), account: .label(options.user.name)),
                request.requester,
                undo: provider is VaultProvider ? undoing : nil
            )
            return AuthorizeApp.Result(request: wanted.index, response: String(decoding: response.json, as: UTF8.self))
        }
        throw AgentError(.nothingAvailable, Self.noUpgrade)
    }

    /// Removes a passkey that was created without a prompt, because the person clicked the notification's button.
    private func undo(_ id: CredentialID) async {
        do {
            if let undo = request.undo { return try await undo(id) }
            try await parts.removePasskey(id, request.requester)
        } catch {
            parts.asking.logger.warning(
                "a new passkey was not removed",
                metadata: ["error": "\(AgentError(reporting: error))"]
            )
        }
    }

    /// Why a provider may create a passkey without a prompt, or `nil`.
    private func ground(
        _ provider: any CredentialProvider,
        _ recipient: Recipient,
        _ options: PublicKeyCredentialCreationOptions,
        _ domain: String
    ) async throws -> UpgradeGround? {
        let password = parts.handedOut.latest(by: provider.identifier, to: recipient) {
            $0.isFor(options.user.name, at: domain)
        }
        if let password, try await provider.mayUpgrade(password, for: appName) { return .password(password) }
        guard let provider = provider as? VaultProvider else { return nil }
        let passkey = parts.signedIn.latest(by: provider.identifier, to: recipient) { $0.rpID == domain }
        guard let passkey else { return nil }
        return await provider.successor(of: passkey, for: options)
    }

    // MARK: Ceremonies

    /// The ceremony of a page with Ward's vault.
    ///
    /// The vault is opened after the client has checked the page.
    func performCeremony(_ wanted: SignInRequest.Wanted, _ vault: Vault) async throws -> AuthorizeApp.Result {
        guard case .page(let page) = request.requester else { throw AgentError(.failed, "no page asks") }
        let consent = PromptingConsent(
            asking: parts.asking,
            vault: vault,
            authorization: request.authorization,
            requester: request.requester,
            trouble: trouble,
            quick: parts.session.quick,
            proof: proof,
            isPresent: request.isPresent
        )
        let fault = UnlockFault()
        let base = SoftwareAuthenticator(
            store: VaultPasskeyStore(
                vault: vault,
                siteData: parts.session.siteData,
                effects: parts.session.effects
            ),
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
        // An automatic passkey for a page is made in `upgrade`.
        let client = WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: .http))
        let mediation = request.mediation ?? .optional
        let json = try await fault.named {
            switch wanted.subject {
            case .assertion(let options):
                try await signedIn(with: client.get(options, from: page.caller, mediation: mediation), wanted).json
            case .registration(let options, _):
                try await client.create(options, from: page.caller, mediation: mediation).json
            default: throw AgentError(.failed, "a page can request only passkeys")
            }
        }
        return AuthorizeApp.Result(request: wanted.index, response: String(decoding: json, as: UTF8.self))
    }

    private func signedIn(
        with response: AuthenticationResponse,
        _ wanted: SignInRequest.Wanted
    ) -> AuthenticationResponse {
        if let rpID = wanted.domains.first { noteSignedIn(response, rpID) }
        return response
    }

    /// The requester, in client data and in prompts.
    private func page(_ wanted: SignInRequest.Wanted) throws(AgentError) -> Caller {
        if case .page(let page) = request.requester { return page.caller }
        guard let origin = wanted.origin, let domain = wanted.domains.first, let app = request.requester.app else {
            throw AgentError(.invalidValue, "the domain cannot have passkeys")
        }
        var page = Caller.app(.web(origin), associatedDomains: [domain])
        page.program = CeremonyContext.Caller(name: app.identity.asker, processID: app.pid)
        return page
    }

    /// The consent that asks the person in a ceremony.
    private func consent(
        _ provider: any CredentialProvider,
        _ vault: Vault?,
        isConfirmed: Bool,
        upgrade: UpgradeGround? = nil
    ) -> PromptingConsent {
        PromptingConsent(
            asking: parts.asking,
            vault: vault,
            authorization: request.authorization,
            requester: request.requester,
            trouble: trouble,
            quick: parts.session.quick,
            proof: proof,
            isPresent: request.isPresent,
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
