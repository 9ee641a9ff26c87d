import ArgumentParser
import WardAgentClient

/// Gives the devices a new vault key.
struct DevicesRekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Give all devices a new vault key. ward sync status says when that is needed."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        try await options.withAgent { agent in
            let list = try await owner.use { try await agent.call(RekeyDevices(passphrase: $0)) }
            if options.json { return try Output.json(list) }
            Output.lines([
                "The vault has a new key, and \(SyncText.number(list.members.count, "device gets", "devices get")) it."
            ])
        }
    }
}
