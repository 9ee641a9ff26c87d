import ArgumentParser
import WardAgentClient

/// Switches it off.
struct QuickUnlockOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switch quick unlock off: the PIN no longer opens the vault."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(SwitchQuickUnlock(authorization: authorization, pin: nil))
            if options.json { return try Output.json(["quickUnlock": "off"]) }
            Output.lines(["Quick unlock is off."])
        }
    }
}
