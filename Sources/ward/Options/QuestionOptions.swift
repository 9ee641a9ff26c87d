import ArgumentParser
import Foundation
import WardAgentClient

/// Options of every command that talks to an agent.
struct QuestionOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-fd"),
        help: ArgumentHelp(
            "Read the passphrase from this file descriptor. It answers every question of this command.",
            valueName: "n"
        )
    )
    var passphraseDescriptor: Int32?

    @Flag(help: "Ask nothing: end with an error where a question would come.")
    var noPrompt = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The passphrase of the descriptor, up to the first line feed; `nil` when none was named.
    ///
    /// - Throws: ``Failure`` when nothing can be read there.
    func passphrase() throws -> String? {
        guard let passphraseDescriptor else { return nil }
        return try AgentOptions.readLine(passphraseDescriptor, "--passphrase-fd \(passphraseDescriptor)")
    }

    /// Runs a body with a connection to the agent of the default vault, for what belongs to the person and to no vault.
    func withDefaultAgent<T: Sendable>(
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        try await VaultChoice.standard.withAgent(body)
    }
}
