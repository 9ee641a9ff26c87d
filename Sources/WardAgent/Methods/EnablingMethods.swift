internal import Logging
internal import WardAgentClient

/// Enables a credential manager at the request of a program, for example of the manager's own settings.
struct EnablingMethods: Sendable {
    let providers: Providers
    let asking: Asking
    let logger: Logger

    /// Asks the person, and enables the manager if the person agrees.
    ///
    /// Any program may send this request. The prompt names the program, the manager and its declaration. The agent enables only
    /// the declaration that the person saw.
    ///
    /// - Throws: `AgentError` with `providerMissing`, `invalidValue`, `tooManyProviders`, `denied`, or `conflict` if the declaration
    ///   changed meanwhile.
    func enable(_ method: EnableProviderForApp, _ app: AppProgram) async throws -> Done {
        guard method.identifier != VaultProvider.identifier else {
            throw AgentError(.invalidValue, "To enable Ward's own vault: ward providers enable ward")
        }
        let declaration = try providers.declaration(of: method.identifier)
        let enabled = providers.settings.enabled
        guard !enabled.contains(declaration.identifier) else { return Done() }
        guard enabled.count < ProviderSettings.limit else { throw ProviderSettings.tooMany }
        let name = CleanText.label(declaration.name)
        var sentences: [PromptSentence] = [
            .enableProvider(provider: name), .declaredIn(file: .path(declaration.path)),
        ]
        if let program = declaration.program?.first { sentences.append(.providerProgram(path: .path(program))) }
        if declaration.verifiesUser { sentences.append(.providerVerifies(provider: name)) }
        let question = Question(sentences, asker: app.identity.introduction(speakingFor: []), agree: .turnOn)
        try await asking.inTurn(.app(app)) { try await $0.confirm(question) }
        guard try providers.declaration(of: method.identifier) == declaration else {
            throw AgentError(.conflict, "\(declaration.path) changed while the prompt was open: try again")
        }
        try providers.settings.enable(declaration.identifier)
        logger.notice(
            "a credential manager was enabled",
            metadata: ["identifier": "\(declaration.identifier)", "by": "\(app.identity.executable.pathForPrompt)"]
        )
        return Done()
    }
}
