internal import WardAgentClient
internal import WardWebAuthn

extension AppSignIn {
    /// `app.suggest`: what a text field could show, with nobody asked and nothing secret told.
    func suggest(_ method: SuggestForApp, _ app: AppProgram) async throws -> SuggestForApp.Result {
        let sheet = try await self.sheet(method.requests, app)
        let isLocked = await isVaultLocked
        var providers: [any CredentialProvider] = self.providers.others
        if !isLocked, hasVault {
            providers.insert(VaultProvider(vault: try await session.file(), effects: session.effects), at: 0)
        }
        let entries = try await self.providers.entries(sheet.query, of: providers).found
        var suggestions: [AppSuggestion] = []
        if isLocked {
            suggestions.append(
                suggestion(.unlock, nil, sheet.domains.first ?? "", "", VaultProvider.identifier, sheet.app)
            )
        }
        for entry in entries {
            guard let request = sheet.requests.first(where: { $0.takes(entry) }) else { continue }
            if entry.provider == VaultProvider.identifier { memory.noteVaultKnows(entry.domain) }
            let kind = method.requests[request.index].kind
            suggestions.append(
                suggestion(kind, entry, entry.domain, entry.user.cleanedForPrompt, entry.provider, sheet.app)
            )
        }
        if !isLocked, hasVault {
            for request in sheet.requests {
                guard case .newPassword(let user) = request.subject, let domain = request.domains.first else {
                    continue
                }
                suggestions.append(
                    suggestion(.newPassword, nil, domain, user, VaultProvider.identifier, sheet.app)
                )
            }
        }
        suggestions = Array(suggestions.prefix(Self.mostSuggestions))
        return SuggestForApp.Result(isLocked: isLocked, suggestions: suggestions)
    }

    /// How many suggestions a text field gets.
    private static var mostSuggestions: Int { 100 }

    private func suggestion(
        _ kind: AppRequest.Kind,
        _ entry: ProviderEntry?,
        _ domain: String,
        _ user: String,
        _ provider: String,
        _ app: AppIdentity.Result
    ) -> AppSuggestion {
        let id = Base64URL.encode(session.effects.randomBytes(16))
        memory.remember(.init(app: app, entry: entry, kind: kind, domain: domain), as: id)
        return AppSuggestion(id: id, kind: kind, user: user, domain: domain, provider: provider)
    }
}
