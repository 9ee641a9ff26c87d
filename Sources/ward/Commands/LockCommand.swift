import ArgumentParser
import Foundation
import WardAgentClient

/// Locks the vault.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the vault now.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let paths = AgentOptions.paths
        // Connecting could start an agent. Without one the vault is locked.
        if paths.hasAgent {
            do {
                try await AgentOptions.withAgent(starts: false) { _ = try await $0.call(Lock()) }
            } catch let failure as Failure
                where [.unreachable, .inUse].map(\AgentError.Code.rawValue).contains(failure.code)
            {
                // The agent lost its socket and locks when it ends, or it has another vault and stays.
                try await AgentCommand.end(paths)
            }
        }
        if options.json { try Output.json(["state": "locked"]) } else { Output.lines(["The vault is locked."]) }
    }
}
