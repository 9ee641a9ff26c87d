import ArgumentParser
import WardAgentClient

/// Switches it on.
struct QuickUnlockOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Choose a PIN that opens the vault: 4 digits or more."
    )

    @OptionGroup var options: AgentOptions
    @Option(
        name: .customLong("pin-fd"),
        help: ArgumentHelp("Read the new PIN from this file descriptor.", valueName: "n")
    )
    var descriptor: Int32?

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            // Nobody thinks of a PIN for nothing.
            if let problem = try await agent.call(QuickUnlockStatus()).problem {
                throw Failure(AgentError(.nothingAvailable, problem))
            }
            let pin = try NewPIN.read(descriptor)
            _ = try await agent.call(SwitchQuickUnlock(authorization: authorization, pin: pin))
            if options.json { return try Output.json(["quickUnlock": "on"]) }
            Output.lines(["Quick unlock is on: the PIN opens the vault."])
        }
    }
}
