import ArgumentParser
import WardAgentClient

/// Shows whether a PIN is set.
struct PINStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether a PIN is set, and whether you can use it now."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        try await options.withAgent { agent in
            let status = try await agent.call(VerificationStatus())
            if options.json { return try Output.json(status) }
            Output.lines(VerificationText.lines(status).map(CommandHints.here))
        }
    }
}
