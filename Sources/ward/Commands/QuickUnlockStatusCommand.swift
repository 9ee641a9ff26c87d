import ArgumentParser
import WardAgentClient

/// Shows whether quick unlock is on.
struct QuickUnlockStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the PIN opens the vault now."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        try await options.withAgent { agent in
            let status = try await agent.call(QuickUnlockStatus())
            if options.json { return try Output.json(status) }
            var lines = [status.isOn ? "Quick unlock is on." : "Quick unlock is off: ward quick-unlock on"]
            if status.isOn, !status.isReady { lines.append("The passphrase is needed once more.") }
            if let problem = status.problem { lines.append("TPM: \(problem)") }
            Output.lines(lines.map(CommandHints.here))
        }
    }
}
