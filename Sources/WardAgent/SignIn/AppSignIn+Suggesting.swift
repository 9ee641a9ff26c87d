internal import WardAgentClient
internal import WardText
internal import WardWebAuthn

extension AppSignIn {
    /// `app.suggest`: the suggestions for a text field.
    ///
    /// No prompt appears, and no secret is returned.
    func suggest(_ method: SuggestForApp, _ app: AppProgram) async throws -> SuggestForApp.Result {
        let request = try await read(method.requests, of: app)
        let isLocked = await parts.isVaultLocked
        var providers: [any CredentialProvider] = parts.providers.others
        if !isLocked, parts.hasVault {
            providers.insert(
                parts.session.provider(of: try await parts.session.file()),
                at: 0
            )
        }
        let listing = try await parts.providers.entries(
            request.query,
            of: providers,
            until: method.waitsForAll == true ? nil : parts.providers.connections.joining
        )
        var suggestions: [AppSuggestion] = []
        if isLocked {
            suggestions.append(
                suggestion(.unlock, nil, request.domains.first ?? "", "", VaultProvider.identifier, app.identity)
            )
        }
        for entry in listing.entries {
            guard let wanted = request.requests.first(where: { $0.takes(entry) }) else { continue }
            if entry.provider == VaultProvider.identifier { parts.memory.noteVaultKnows(entry.domain) }
            let kind = method.requests[wanted.index].kind
            suggestions.append(
                suggestion(kind, entry, entry.domain, entry.user.cleanedForPrompt, entry.provider, app.identity)
            )
        }
        if !isLocked, parts.hasVault {
            for wanted in request.requests {
                guard case .newPassword(let user) = wanted.subject, let domain = wanted.domains.first else {
                    continue
                }
                suggestions.append(
                    suggestion(.newPassword, nil, domain, user, VaultProvider.identifier, app.identity)
                )
            }
        }
        suggestions = Array(suggestions.prefix(Self.mostSuggestions))
        return SuggestForApp.Result(
            isLocked: isLocked,
            suggestions: suggestions,
            isPartial: listing.pending > 0 ? true : nil
        )
    }

    /// The maximum number of suggestions for a text field.
    private static var mostSuggestions: Int { 100 }

    private func suggestion(
        _ kind: AppRequest.Kind,
        _ entry: ProviderEntry?,
        _ domain: String,
        _ user: String,
        _ provider: String,
        _ app: AppIdentity.Result
    ) -> AppSuggestion {
        let id = Base64URL.encode(parts.session.effects.randomBytes(16))
        parts.memory.remember(.init(recipient: .app(app), entry: entry, kind: kind, domain: domain), as: id)
        return AppSuggestion(id: id, kind: kind, user: user, domain: domain, provider: provider)
    }
}
