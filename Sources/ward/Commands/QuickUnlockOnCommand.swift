import ArgumentParser
import WardAgentClient

/// Turns quick unlock on: a PIN opens the vault.
struct QuickUnlockOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Switch quick unlock on: choose a PIN with 4 digits or more."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var newPIN: NewPIN

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            // This check comes before the person chooses a PIN.
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
