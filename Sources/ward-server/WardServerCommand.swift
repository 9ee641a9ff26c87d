import ArgumentParser

/// `ward-server`: parsing of arguments and wiring, nothing else.
@main
struct WardServerCommand: AsyncParsableCommand {
    /// The version of the package, as in the changelog.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ward-server",
        abstract: "Accounts and sign-in with passkeys.",
        version: version,
        subcommands: [
            Serve.self, Accounts.self, AuditCommand.self, CheckCommand.self, BackupCommand.self, RestoreCommand.self,
            MigrateCommand.self,
        ]
    )
}
