import ArgumentParser
import WardAgentClient

/// Turns quick unlock on: a PIN opens the vault.
struct QuickUnlockOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Choose a PIN that opens the vault: 4 digits or more."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var newPIN: NewPIN

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            // Before the person thinks of a PIN.
            if let problem = try await agent.call(QuickUnlockStatus()).problem {
                throw Failure(AgentError(.nothingAvailable, problem))
            }
            let pin = try newPIN.read()
            _ = try await agent.call(SwitchQuickUnlock(authorization: authorization, pin: pin))
            if options.json { return try Output.json(["quickUnlock": "on"]) }
            Output.lines(["Quick unlock is on: the PIN opens the vault."])
        }
    }
}
