internal import Logging
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Saves passwords that the person typed into apps, and handles services' signals about credentials.
struct SavingMethods: Sendable {
    let session: VaultSession
    let policy: AppPolicy
    let providers: Providers
    let logger: Logger

    /// The maximum length of a user name or password that an app can save, in bytes.
    private static let maximumLength = 4096

    /// Saves a password that the person typed into an app.
    ///
    /// If there is a login with this domain and user name, its old password moves to its history. Otherwise a new login is
    /// created.
    ///
    /// The agent asks the person first, unless the vault already has this password.
    ///
    /// - Throws: `AgentError` with `denied`, `invalidValue`, or as ``AppPolicy/check(_:mayUse:)`` and ``VaultSession/opened``.
    func save(_ method: SaveForApp, _ app: AppProgram) async throws -> Done {
        guard !method.password.isEmpty, method.password.utf8.count <= Self.maximumLength,
            method.user.utf8.count <= Self.maximumLength, (method.title ?? "").utf8.count <= Self.maximumLength
        else {
            throw AgentError(
                .invalidValue,
                "a password must have 1 to 4096 bytes; a user name and a title can have 4096 bytes at most"
            )
        }
        try await policy.check(app.identity, mayUse: method.domain)
        let others = providers.othersThatSave
        guard providers.isVaultEnabled || !others.isEmpty else {
            throw AgentError(
                .nothingAvailable,
                "no enabled credential manager stores passwords: ward providers enable ward"
            )
        }
        let password = SecretText(method.password)
        var isAgreed = false
        if !others.isEmpty {
            if try await isKept(password, method) { return Done() }
            if let chosen = try await choose(among: others, method, app) {
                _ = try await chosen.save(
                    ProviderMessages.Save(
                        app: app.identity.nameForProviders,
                        domain: method.domain,
                        user: method.user,
                        password: method.password,
                        title: (method.title ?? "").cleanedForPrompt,
                        isGenerated: false
                    )
                )
                return Done()
            }
            isAgreed = true
        }
        let vault = try await session.opened(
            Authorization(method.authorization),
            .app(app),
            to: .keepPassword
        )
        let known = try await vault.logins(of: method.user, at: method.domain).first
        if let known, try await vault.item(known.id).password?.value == password {
            return Done()
        }
        if !isAgreed { try await agreeToSave(method, replacing: known, app) }
        try await keep(password, method, in: known?.id, vault)
        return Done()
    }

    /// Whether the vault is open and has exactly this password.
    private func isKept(_ password: SecretText, _ method: SaveForApp) async throws -> Bool {
        guard providers.isVaultEnabled, session.hasVault else { return false }
        let vault = try await session.file()
        guard await !vault.isLocked, let known = try await vault.logins(of: method.user, at: method.domain).first
        else { return false }
        return try await vault.item(known.id).password?.value == password
    }

    /// Asks the person which credential manager saves the password.
    ///
    /// - Returns: The manager; `nil` for Ward's own vault.
    private func choose(
        among others: [SocketProvider],
        _ method: SaveForApp,
        _ app: AppProgram
    ) async throws -> SocketProvider? {
        guard method.authorization.mayPrompt else { throw AgentError(.denied, "nobody may be asked") }
        let hasVault = providers.isVaultEnabled && session.hasVault
        let places: [SocketProvider?] = (hasVault ? [nil] : []) + others
        let asker = app.identity.introduction(speakingFor: [method.domain])
        let sentences = places.map {
            PromptSentence.keepPasswordIn(
                account: .name(method.user),
                site: .domain(method.domain),
                provider: .label($0?.name ?? VaultProvider.name)
            )
        }
        return try await session.asking.inTurn(.app(app)) { turn in
            guard places.count > 1 else {
                try await turn.confirm(Question(sentences, asker: asker, agree: .keep))
                return places[0]
            }
            let questions = sentences.enumerated().map { index, sentence in
                Question([sentence, .lineNumber(index + 1, of: places.count)], asker: asker, agree: .keep)
            }
            return places[try await turn.pick(questions)]
        }
    }

    private func keep(
        _ password: SecretText,
        _ method: SaveForApp,
        in known: ItemID?,
        _ vault: Vault
    ) async throws {
        let now = session.effects.now()
        if let known {
            try await vault.write { transaction in
                try transaction.update(known) { item in
                    if item.password == nil { item.password = Password(password, changedAt: now) }
                    item.password?.change(to: password, at: now)
                    item.tags.removeAll { $0 == AppSignal.unusedPasswordTag }
                }
            }
            return
        }
        let title = (method.title ?? "").cleanedForPrompt
        let item = Item(
            .login,
            title: title.isEmpty ? method.domain : title,
            sites: [Site("https://" + method.domain)],
            username: method.user,
            password: Password(password, changedAt: now)
        )
        try await vault.write { try $0.add(item) }
    }

    private func agreeToSave(
        _ method: SaveForApp,
        replacing known: ItemSummary?,
        _ app: AppProgram
    ) async throws {
        guard method.authorization.mayPrompt else { throw AgentError(.denied, "nobody may be asked") }
        let (account, site) = (CleanText.name(method.user), CleanText.domain(method.domain))
        let sentence: PromptSentence =
            if let known, known.hasPassword {
                .changePassword(account: account, site: site, item: .label(known.title))
            } else {
                .keepPassword(account: account, site: site)
            }
        let question = Question(
            [sentence],
            asker: app.identity.introduction(speakingFor: [method.domain]),
            agree: .keep
        )
        try await session.asking.inTurn(.app(app)) { try await $0.confirm(question) }
    }

    // MARK: Signals

    /// Handles a signal about credentials that a service sends through its app.
    ///
    /// Nothing is deleted: passkeys are hidden, shown or renamed, and a password that is no longer used gets a tag. If the
    /// vault is locked, it stays locked, and the signal is dropped. The app gets the same answer in every case. A service
    /// repeats its signal at the next sign-in.
    ///
    /// - Throws: `AgentError` with `invalidValue` for options that are none, or as ``AppPolicy/check(_:mayUse:)``.
    func signal(_ method: SignalFromApp, _ app: AppProgram) async throws -> Done {
        let signal = try AppSignal(method)
        try await policy.check(app.identity, mayUse: signal.domain)
        // The answer does not wait for other managers, so the app learns nothing from the time that it takes.
        for provider in providers.others { Task { try? await provider.take(method) } }
        guard let vault = await session.current, await !vault.isLocked else { return Done() }
        do {
            try await signal.apply(to: vault)
        } catch {
            logger.warning("a signal was not kept", metadata: ["error": "\(AgentError(reporting: error))"])
        }
        return Done()
    }
}
