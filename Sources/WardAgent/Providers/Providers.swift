internal import Logging
internal import WardAgentClient

/// The credential managers of this device: all declared ones, the enabled ones, and their entries.
struct Providers: Sendable {
    let paths: ProviderPaths
    let connections: ProviderConnections
    private let logger: Logger

    init(paths: ProviderPaths, connections: ProviderConnections, logger: Logger) {
        self.paths = paths
        self.connections = connections
        self.logger = logger
    }

    var settings: ProviderSettings { ProviderSettings(path: paths.settings, logger: logger) }

    // MARK: Settings

    func list() -> ListProviders.Result {
        let enabled = settings.enabled
        let own = ProviderRecord(
            identifier: VaultProvider.identifier,
            name: "Ward",
            isEnabled: enabled.contains(VaultProvider.identifier),
            capabilities: VaultProvider.capabilities.names
        )
        let declared = ProviderDeclaration.all(paths)
        var records = [own]
        records += declared.map { declaration in
            ProviderRecord(
                identifier: declaration.identifier,
                name: declaration.name,
                isEnabled: enabled.contains(declaration.identifier),
                capabilities: declaration.capabilities.names,
                verifiesUser: declaration.verifiesUser ? true : nil,
                declaration: declaration.path,
                problem: declaration.problem
            )
        }
        for identifier in enabled where !records.contains(where: { $0.identifier == identifier }) {
            records.append(
                ProviderRecord(
                    identifier: identifier,
                    name: identifier.cleanedForPrompt,
                    isEnabled: true,
                    capabilities: [],
                    problem: "its declaration is gone: install it again, or ward providers disable \(identifier)"
                )
            )
        }
        let order = enabled.compactMap { identifier in records.first { $0.identifier == identifier } }
        return ListProviders.Result(
            providers: order + records.filter { !$0.isEnabled },
            passkeysAreOff: !arePasskeysOn,
            arePasskeysSwitchedOff: settings.arePasskeysOff,
            limit: ProviderSettings.limit
        )
    }

    func enable(_ method: EnableProvider) throws(AgentError) -> ListProviders.Result {
        if method.identifier != VaultProvider.identifier { _ = try declaration(of: method.identifier) }
        try settings.enable(method.identifier)
        return list()
    }

    /// The declaration of a manager other than Ward's own vault.
    ///
    /// - Throws: `AgentError` with `providerMissing`, or `invalidValue` for one that cannot be used.
    func declaration(of identifier: String) throws(AgentError) -> ProviderDeclaration {
        guard let declaration = ProviderDeclaration.all(paths).first(where: { $0.identifier == identifier }) else {
            throw Self.missing(identifier)
        }
        if let problem = declaration.problem { throw AgentError(.invalidValue, problem) }
        return declaration
    }

    private static func missing(_ identifier: String) -> AgentError {
        AgentError(
            .providerMissing,
            "no credential manager has the identifier \(identifier.cleanedForPrompt): ward providers list shows all of them"
        )
    }

    /// Disables a manager, and ends its process if the agent started it.
    func disable(_ method: DisableProvider) async throws(AgentError) -> ListProviders.Result {
        guard list().providers.contains(where: { $0.identifier == method.identifier }) else {
            throw Self.missing(method.identifier)
        }
        try settings.disable(method.identifier)
        connections.index.keepOnly(settings.enabled)
        await connections.starts.end(method.identifier)
        return list()
    }

    func switchPasskeys(_ method: SwitchPasskeys) throws(AgentError) -> ListProviders.Result {
        try settings.switchPasskeys(isOn: method.isOn)
        return list()
    }

    // MARK: Those in use

    /// Whether Ward's own vault is enabled.
    var isVaultEnabled: Bool { settings.enabled.contains(VaultProvider.identifier) }

    /// Whether passkeys are on and an enabled manager supports them.
    var arePasskeysOn: Bool {
        guard !settings.arePasskeysOff else { return false }
        return isVaultEnabled || others.contains { $0.capabilities.contains(.passkeys) }
    }

    /// The reason why no passkey can be created.
    var passkeysOff: AgentError {
        AgentError(
            .passkeysOff,
            settings.arePasskeysOff
                ? "passkeys are switched off on this device: ward passkeys on switches them on"
                : "no credential manager in use has passkeys: ward providers enable ward"
        )
    }

    /// The enabled managers other than Ward's own vault, in their order.
    ///
    /// The remembered entries of all other managers are removed.
    var others: [SocketProvider] {
        let enabled = settings.enabled.filter { $0 != VaultProvider.identifier }
        connections.index.keepOnly(enabled)
        guard !enabled.isEmpty else { return [] }
        let declared = ProviderDeclaration.all(paths).filter { $0.problem == nil }
        return enabled.compactMap { identifier in
            declared.first { $0.identifier == identifier }.map {
                SocketProvider(declaration: $0, connections: connections)
            }
        }
    }

    /// The enabled managers other than Ward's own vault that save passwords.
    var othersThatSave: [SocketProvider] { others.filter { $0.capabilities.contains(.savesPasswords) } }

    /// Requests the entries of several managers at the same time.
    ///
    /// Passkeys are left out if they are switched off.
    func ask(_ query: ProviderQuery, of providers: [any CredentialProvider]) -> ProviderAnswers {
        var query = query
        if settings.arePasskeysOff { query.kinds.remove(.passkey) }
        return ProviderAnswers(providers, query)
    }

    /// The entries of managers, in the managers' order.
    ///
    /// A manager that fails is left out.
    ///
    /// - Parameters:
    ///   - query: What is wanted.
    ///   - providers: Who is asked.
    ///   - joining: Returns when the time is over; `nil` to wait for all. Managers that did not answer are asked no more.
    /// - Returns: What they have, and how many did not answer.
    /// - Throws: `CancellationError`.
    func entries(
        _ query: ProviderQuery,
        of providers: [any CredentialProvider],
        until joining: (@Sendable () async throws -> Void)? = nil
    ) async throws -> ProviderListing {
        let answers = ask(query, of: providers)
        defer { Task { await answers.end() } }
        let listing = try await answers.first(joining ?? { try await Task.sleep(for: .seconds(86_400)) })
        note(listing)
        return listing
    }

    /// Logs why a manager is left out.
    func note(_ listing: ProviderListing) {
        guard let failure = listing.failure else { return }
        logger.info("a credential manager is left out", metadata: ["error": "\(failure)"])
    }
}
