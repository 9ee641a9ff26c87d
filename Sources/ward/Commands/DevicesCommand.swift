import ArgumentParser

/// The devices of a vault.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, add and remove the devices that share the vault.",
        subcommands: [
            DevicesListCommand.self, DevicesRequestsCommand.self, DevicesAddCommand.self, DevicesRemoveCommand.self,
            DevicesRekeyCommand.self, DevicesRenameCommand.self,
        ],
        defaultSubcommand: DevicesListCommand.self
    )
}
