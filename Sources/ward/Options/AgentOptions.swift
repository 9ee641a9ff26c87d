import ArgumentParser
import Foundation
import WardAgent
import WardAgentClient
import WardTerminal
import WardVault

/// Options of every command that talks to the agent.
struct AgentOptions: ParsableArguments {
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
        return try Self.readLine(passphraseDescriptor, "--passphrase-fd \(passphraseDescriptor)")
    }

    /// The authorization of a request.
    func authorization() throws -> Authorization {
        Authorization(passphrase: try passphrase(), mayPrompt: !noPrompt)
    }

    /// Runs a body with a connection to the agent, which is started if need be.
    func withAgent<T: Sendable>(_ body: @escaping @Sendable (AgentClient) async throws -> T) async throws -> T {
        try await Self.withAgent(starts: true, body)
    }

    /// Where the agent of this person's vault listens, or would.
    static var paths: AgentPaths {
        let location = VaultLocation.standard
        var paths = AgentPaths.standard(stateDirectory: location.stateDirectory)
        paths.vault = location.database
        return paths
    }

    static func withAgent<T: Sendable>(
        starts: Bool,
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        let hello = Hello(client: "ward", terminal: Terminal.hello)
        // The agent looks at what connects: that much is shown until it answered the greeting.
        @Sendable func hidden(_ agent: AgentClient) async throws -> T {
            Hardening.hideMemory()
            return try await body(agent)
        }
        do {
            let launch = starts ? AgentClient.Launch(program: try ownPath(), arguments: ["agent", "--quiet"]) : nil
            Hardening.showExecutable()
            defer { Hardening.hideMemory() }
            let paths = paths
            return try await Interruption.guarding {
                guard let launch else { return try await AgentClient.withConnection(to: paths, as: hello, hidden) }
                return try await AgentClient.withConnection(to: paths, as: hello, startingWith: launch, hidden)
            }
        } catch let error as AgentError {
            throw Failure(error)
        }
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

    private static func ownPath() throws -> String {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw Failure(.unavailable, "/proc is missing, so the agent cannot be started")
        }
        return path
    }
}
