import ArgumentParser
import WardAgentClient

/// Switches sync off.
struct SyncOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Stop syncing on this device.",
        discussion: """
            The device stays one of the vault's devices, and the folder or the server keeps what it has. To take a device out of the vault: \
            ward devices remove.
            """
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let state = try await agent.call(SwitchSyncOff(authorization: authorization))
            if options.json { return try Output.json(state) }
            Output.lines(["Sync is off on this device."])
        }
    }
}
