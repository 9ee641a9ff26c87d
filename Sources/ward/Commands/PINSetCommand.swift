import ArgumentParser
import WardAgentClient

/// Sets the PIN.
struct PINSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the PIN: 4 digits or more."
    )

    @OptionGroup var options: AgentOptions
    @Option(
        name: .customLong("pin-fd"),
        help: ArgumentHelp("Read the new PIN from this file descriptor.", valueName: "n")
    )
    var descriptor: Int32?

    func run() async throws {
        let pin = try NewPIN.read(descriptor)
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(SetPIN(authorization: authorization, pin: pin))
            if options.json { return try Output.json(["pin": "set"]) }
            Output.lines(["The PIN is set. Passkeys ask for it while the vault is open."])
        }
    }
}
