import ArgumentParser
import WardAgentClient

/// Lists the devices.
struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices that share the vault, this one first."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let list = try await agent.call(ListDevices(authorization: authorization))
            if options.json { return try Output.json(list) }
            Output.table(DeviceText.table(list.devices))
            for notice in SyncText.notices(try await agent.call(SyncStatus())) { Terminal.note(notice) }
        }
    }
}
