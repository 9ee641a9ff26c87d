internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardVault
internal import WardWebAuthn

/// Ward's own vault as one of the credential managers.
///
/// It must be open.
struct VaultProvider: CredentialProvider {
    /// The vault's identifier.
    ///
    /// No other manager may use it.
    static let identifier = "ward"
    /// What people see.
    static let name = "Ward"
    /// All of it.
    static let capabilities: ProviderCapabilities = [
        .passwords, .passkeys, .oneTimeCodes, .conditionalRegistration, .savesPasswords,
    ]

    let vault: Vault
    /// The folder with the data of sites; `nil` for none.
    var siteData: String?
    let effects: Effects

    var identifier: String { Self.identifier }
    var name: String { Self.name }
    var capabilities: ProviderCapabilities { Self.capabilities }
    var verifiesUser: Bool { false }

    func entries(_ query: ProviderQuery) async throws -> ProviderEntries {
        var found: [ProviderEntry] = []
        for domain in query.domains {
            if query.kinds.contains(.passkey) { found += try await passkeys(domain) }
            guard query.kinds.contains(.password) || query.kinds.contains(.oneTimeCode) else { continue }
            for summary in try await vault.summaries(at: domain) where summary.belongs(to: domain) {
                found += summary.entries(domain).filter { query.kinds.contains($0.kind) }
            }
        }
        return ProviderEntries(entries: found)
    }

    /// The agent opens its own vault itself.
    func unlock(for app: String) async throws {}

    private func passkeys(_ domain: String) async throws -> [ProviderEntry] {
        try await vault.passkeys(for: domain, includingHidden: true).map { found in
            let names = [found.passkey.userName, found.passkey.userDisplayName].filter { !$0.isEmpty }
            return ProviderEntry(
                provider: Self.identifier,
                reference: found.passkey.credentialID.base64URL,
                kind: .passkey,
                domain: domain,
                user: names.first ?? "",
                lastUsedAt: found.passkey.lastUsedAt ?? found.passkey.createdAt,
                credentialID: found.passkey.credentialID,
                userHandle: found.passkey.userHandle,
                isHidden: found.passkey.isHidden
            )
        }
    }

    func password(_ entry: ProviderEntry, for app: String) async throws -> (user: String, password: String) {
        let item = try await item(entry)
        guard let password = item.password, !password.value.isEmpty else { throw Self.gone }
        return (item.username, password.value.revealed)
    }

    func code(_ entry: ProviderEntry, for app: String) async throws -> String {
        let item = try await item(entry)
        guard !item.codes.isEmpty else { throw Self.gone }
        return try await vault.code(of: item.id).text
    }

    func usePasskey(
        _ entry: ProviderEntry,
        _ options: PublicKeyCredentialRequestOptions,
        _ caller: Caller,
        _ consent: PromptingConsent
    ) async throws -> AuthenticationResponse {
        try await client(consent).get(options, from: caller, picked: entry.credentialID)
    }

    func makePasskey(
        _ options: PublicKeyCredentialCreationOptions,
        _ caller: Caller,
        isConditional: Bool,
        _ consent: PromptingConsent
    ) async throws -> RegistrationResponse {
        try await client(consent).create(options, from: caller, mediation: isConditional ? .conditional : .optional)
    }

    func mayUpgrade(_ password: HandedOutPassword, for app: String) async -> Bool {
        guard let id = ItemID(text: password.reference), let summary = try? await vault.summary(id),
            !summary.isInTrash, summary.hasPassword, password.isFor(summary.username, at: password.domain),
            !summary.passkeys.contains(where: { !$0.isHidden && BrowserPage.areSameSite($0.rpID, password.domain) })
        else { return false }
        switch password.recipient {
        case .app: return summary.belongs(to: password.domain)
        case .page:
            let found = try? await vault.summaries(ofPageAt: password.domain)
            return found?.contains { $0.id == id } ?? false
        }
    }

    func take(_ signal: SignalFromApp) async throws { try await AppSignal(signal).apply(to: vault) }

    private func item(_ entry: ProviderEntry) async throws -> Item {
        guard let id = ItemID(text: entry.reference) else { throw Self.gone }
        return try await vault.item(id)
    }

    private static var gone: AgentError {
        AgentError(.nothingAvailable, "the picked item no longer exists: try again")
    }

    private func client(
        _ consent: PromptingConsent
    ) -> WebAuthnClient<SoftwareAuthenticator<VaultPasskeyStore, PromptingConsent>> {
        let authenticator = SoftwareAuthenticator(
            store: VaultPasskeyStore(
                vault: vault,
                home: consent.sheet?.upgrade?.home,
                siteData: siteData,
                effects: effects
            ),
            consent: consent,
            effects: effects
        )
        return WebAuthnClient(authenticator, consent.client)
    }
}

extension Vault {
    /// The items for the pages of a host.
    ///
    /// The items' own matching rules decide.
    func summaries(ofPageAt host: String) throws(VaultError) -> [ItemSummary] {
        let isLocal = (try? DomainName(host))?.isLocalhost ?? false
        return try summaries(at: (isLocal ? "http://" : "https://") + host)
    }
}

extension ItemSummary {
    /// Whether an app of a domain may see the item: the item's site is this host or a host below it.
    ///
    /// This rule is stricter than for a page, which may use the whole registrable domain. The domain that lists an app need not
    /// be the owner of the domains above it.
    func belongs(to domain: String) -> Bool {
        let isPlace = sites.contains { site in
            guard let host = site.host else { return false }
            switch site.match {
            case .domain: return host == domain || host.hasSuffix("." + domain)
            case .host, .exact: return host == domain
            default: return false
            }
        }
        return isPlace || passkeys.contains { $0.rpID == domain }
    }

    /// The entries of the vault that are not passkeys.
    func entries(_ domain: String) -> [ProviderEntry] {
        var kinds: [ProviderEntry.Kind] = []
        if hasPassword, !tags.contains(AppSignal.unusedPasswordTag) { kinds.append(.password) }
        if codeCount > 0 { kinds.append(.oneTimeCode) }
        return kinds.map { kind in
            ProviderEntry(
                provider: VaultProvider.identifier,
                reference: id.text,
                kind: kind,
                domain: domain,
                user: username.isEmpty ? title : username,
                lastUsedAt: modifiedAt
            )
        }
    }
}
