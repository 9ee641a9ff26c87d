import ArgumentParser
import Foundation
import WardAgentClient

/// The options of the commands that send requests to an agent: the passphrase, prompts and JSON.
struct QuestionOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-fd"),
        help: ArgumentHelp(
            "Read the passphrase from this file descriptor. No other prompt appears for this command.",
            valueName: "n"
        )
    )
    var passphraseDescriptor: Int32?

    @Flag(help: "Show no prompts. If a prompt would be needed, the command ends with an error.")
    var noPrompt = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The passphrase from the file descriptor, up to the first line feed; `nil` if no descriptor was given.
    ///
    /// - Throws: ``Failure`` when nothing can be read there.
    func passphrase() throws -> String? {
        guard let passphraseDescriptor else { return nil }
        return try AgentOptions.readLine(passphraseDescriptor, "--passphrase-fd \(passphraseDescriptor)")
    }

    /// Runs a closure with a connection to the agent of the default vault.
    ///
    /// It is for data that belongs to the person and not to a vault.
    func withDefaultAgent<T: Sendable>(
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        try await VaultChoice.standard.withAgent(body)
    }
}
