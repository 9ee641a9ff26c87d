import ArgumentParser
import WardAgentClient

/// Changes the name of this device.
struct DevicesRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Change the name of this device."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let list = try await agent.call(RenameDevice(authorization: authorization, deviceName: name))
            if options.json { return try Output.json(list) }
            let device = list.devices.first(where: \.isThisDevice)
            Output.lines(["This device is now \(device.map(DeviceText.name) ?? DeviceText.quoted(name))."])
        }
    }
}
