import ArgumentParser
import Foundation
import WardAgentClient

/// The options of the commands that send requests to an agent: the passphrase, prompts and JSON.
struct QuestionOptions: PassphraseOptions {
    @Option(name: .customLong("passphrase-fd"), help: Self.passphraseHelp)
    var passphraseDescriptor: Int32?

    @Flag(help: Self.noPromptHelp)
    var noPrompt = false

    @Flag(help: Self.jsonHelp)
    var json = false

    /// Runs a closure with a connection to the agent of the default vault.
    ///
    /// It is for data that belongs to the person and not to a vault.
    func withDefaultAgent<T: Sendable>(
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        try await VaultChoice.standard.withAgent(body)
    }
}
