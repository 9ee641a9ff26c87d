import ArgumentParser
import WardAgentClient

struct PINRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove the PIN.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(SetPIN(authorization: authorization, pin: nil))
            if options.json { return try Output.json(["pin": "removed"]) }
            Output.lines(["The PIN is removed."])
        }
    }
}
