import ArgumentParser

/// `ward-server`: this program only parses arguments and connects the modules.
@main
struct WardServerCommand: AsyncParsableCommand {
    /// The version of the package.
    ///
    /// It is the same as in the changelog.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ward-server",
        abstract: "Accounts and sign-in with passkeys.",
        version: version,
        subcommands: [
            SettingsCommand<Serve>.self, Accounts.self, Clients.self, Keys.self, TokenCommand.self, Webhooks.self,
            AuditCommand.self, UpgradesCommand.self, SyncCommand.self,
            SettingsCommand<Check>.self,
            BackupCommand.self, RestoreCommand.self, MigrateCommand.self,
        ]
    )
}
