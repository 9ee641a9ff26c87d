import ArgumentParser
import WardAgentClient

/// Says whether there is one.
struct PINStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether there is a PIN, and whether a passkey asks for it now."
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
