internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

extension Agent {
    /// The longest user name or password that an app can save, in bytes.
    private static let maximumLength = 4096

    /// Keeps a password that was typed into an app: in the login of that domain and user name where there is one, with the old
    /// password in its history, else in a new login.
    ///
    /// The person is asked first, unless that very password is there already.
    ///
    /// - Throws: `AgentError` with `denied`, `invalidValue`, or as ``app(_:mayUse:)`` and `opened`.
    func save(_ method: SaveForApp, _ caller: AgentCaller) async throws -> Done {
        try await working {
            guard !method.password.isEmpty, method.password.utf8.count <= Self.maximumLength,
                method.user.utf8.count <= Self.maximumLength, (method.title ?? "").utf8.count <= Self.maximumLength
            else { throw AgentError(.invalidValue, "a password has 1 to 4096 bytes, a user name and a title at most") }
            let app = try await app(caller, mayUse: method.domain)
            let vault = try await opened(
                Authorization(method.authorization),
                caller,
                purpose: "keep a password"
            )
            let password = SecretText(method.password)
            let known = try await vault.logins(of: method.user, at: method.domain).first
            if let known, try await vault.item(known.id).password?.value == password {
                return Done()
            }
            try await agreeToSave(method, replacing: known, app, caller)
            try await keep(password, method, in: known?.id, vault)
            return Done()
        }
    }

    private func keep(
        _ password: SecretText,
        _ method: SaveForApp,
        in known: ItemID?,
        _ vault: Vault
    ) async throws {
        let now = configuration.effects.now()
        if let known {
            try await vault.write { transaction in
                try transaction.update(known) { item in
                    if item.password == nil { item.password = Password(password, changedAt: now) }
                    item.password?.change(to: password, at: now)
                    item.tags.removeAll { $0 == Agent.unusedPasswordTag }
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
        _ app: AppIdentity.Result,
        _ caller: AgentCaller
    ) async throws {
        guard method.authorization.mayPrompt else { throw AgentError(.denied, "nobody may be asked") }
        let user = method.user.cleanedForPrompt
        let whose = user.isEmpty ? "a password" : "the password of \(user)"
        let question =
            if let known, known.hasPassword {
                "Change \(whose) for \(method.domain.domainForPrompt)? The one you have stays in the history of \(known.title.cleanedForPrompt)."
            } else {
                "Keep \(whose) for \(method.domain.domainForPrompt)?"
            }
        let prompt = Prompt(
            .confirmation,
            question,
            asker: app.introduction(speakingFor: method.domain),
            agree: "Keep"
        )
        switch try await inTurn(caller, { [self] in try await ask(prompt, caller) }) {
        case .agreed: return
        case .timedOut: throw AgentError(.denied, "nobody answered the prompt in time: try again")
        default: throw AgentError(.denied, "the person said no")
        }
    }
}
