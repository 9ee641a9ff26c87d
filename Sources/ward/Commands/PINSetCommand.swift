import ArgumentParser
import WardAgentClient

/// Sets the PIN that verifies the person while the vault is open.
struct PINSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the PIN: 4 digits or more."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var newPIN: NewPIN

    func run() async throws {
        let pin = try newPIN.read()
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(SetPIN(authorization: authorization, pin: pin))
            if options.json { return try Output.json(["pin": "set"]) }
            Output.lines(["The PIN is set. Passkeys ask for it while the vault is open."])
        }
    }
}
