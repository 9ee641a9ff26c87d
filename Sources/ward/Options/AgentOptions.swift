import ArgumentParser
import Foundation
import WardAgentClient
import WardTerminal
import WardVault

/// The options of every command that uses a vault.
struct AgentOptions: PassphraseOptions {
    @Option(name: .customLong("passphrase-fd"), help: Self.passphraseHelp)
    var passphraseDescriptor: Int32?

    @Flag(help: Self.noPromptHelp)
    var noPrompt = false

    @Flag(help: Self.jsonHelp)
    var json = false

    @Option(
        name: .customLong("vault"),
        help: ArgumentHelp(
            "Use the vault with this name instead of the default vault. The variable WARD_VAULT does the same.",
            valueName: "name"
        ),
        completion: .custom { _, _, _ in VaultLocation.all().map(\.name.description) }
    )
    var vaultName: String?

    /// The authorization of a request.
    func authorization() throws -> Authorization {
        Authorization(passphrase: try passphrase(), mayPrompt: !noPrompt)
    }

    /// The vault of the command.
    ///
    /// It need not exist.
    func vault() throws(Failure) -> VaultChoice { try VaultChoice(option: vaultName) }

    /// Runs a closure with a connection to the agent of an existing vault.
    ///
    /// If no agent is running, it is started.
    func withAgent<T: Sendable>(_ body: @escaping @Sendable (AgentClient) async throws -> T) async throws -> T {
        try await vault().existing().withAgent(body)
    }

    /// A line from a file descriptor, without the line end.
    static func readLine(_ descriptor: Int32, _ name: String) throws -> String {
        let (bytes, end) = LineInput.read(descriptor, atMost: 4096)
        guard end != .failure else { throw Failure(.usage, "Nothing can be read from \(name)") }
        guard end != .tooLong, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "\(name) must give one line of UTF-8, at most 4096 bytes")
        }
        return text
    }
}
