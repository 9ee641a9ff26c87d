import ArgumentParser

/// Sync of a vault through a folder or a server.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Sync the vault with your other devices through a folder or a server.",
        discussion: """
            Syncthing, Nextcloud, a network drive or a USB stick carries the folder. Everything in it is encrypted. While the \
            vault is open, ward syncs a second after each change, and every 15 seconds.

            Two devices, step by step:

            ward sync on ~/Sync      on the device that has the vault
            ward join ~/Sync         on the new device
            ward devices add         on the device that has the vault

            The same with a server:

            ward sync on https://sync.example.org   on the device that has the vault
            ward devices add                        on the device that has the vault
            ward join https://sync.example.org      on the new device
            """,
        subcommands: [
            SyncOnCommand.self, SyncMoveCommand.self, SyncOffCommand.self, SyncStatusCommand.self, SyncNowCommand.self,
            SyncCompareCommand.self, SyncRepairCommand.self,
        ],
        defaultSubcommand: SyncStatusCommand.self
    )
}
