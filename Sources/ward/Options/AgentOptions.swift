import ArgumentParser
import Foundation
import WardAgentClient
import WardTerminal
import WardVault

/// Options of every command that is about a vault.
struct AgentOptions: ParsableArguments {
    @OptionGroup var questions: QuestionOptions

    @Option(
        name: .customLong("vault"),
        help: ArgumentHelp(
            "Use this vault instead of the default one; ward vault list shows their names. Also WARD_VAULT.",
            valueName: "name"
        ),
        completion: .custom { _, _, _ in VaultLocation.all().map(\.name.description) }
    )
    var vaultName: String?

    var noPrompt: Bool { questions.noPrompt }
    var json: Bool { questions.json }

    /// The passphrase of the descriptor; `nil` when none was named.
    func passphrase() throws -> String? { try questions.passphrase() }

    /// The authorization of a request.
    func authorization() throws -> Authorization {
        Authorization(passphrase: try passphrase(), mayPrompt: !noPrompt)
    }

    /// The vault that is meant, whether it exists or not.
    func vault() throws(Failure) -> VaultChoice { try VaultChoice(option: vaultName) }

    /// Runs a body with a connection to the agent of a vault that exists; the agent is started if need be.
    func withAgent<T: Sendable>(_ body: @escaping @Sendable (AgentClient) async throws -> T) async throws -> T {
        try await vault().existing().withAgent(body)
    }

    /// A line of a descriptor, without its end.
    static func readLine(_ descriptor: Int32, _ name: String) throws -> String {
        let (bytes, end) = LineInput.read(descriptor, atMost: 4096)
        guard end != .failure else { throw Failure(.usage, "Nothing can be read from \(name)") }
        guard end != .tooLong, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "\(name) must give one line of UTF-8, at most 4096 bytes")
        }
        return text
    }
}
