import ArgumentParser

/// `ward-server accounts`.
struct Accounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Invite people, import and manage accounts.",
        discussion: """
            These commands use the service's database; the service may run at the same time. They read the same environment \
            variables and --config as the service.

            Exit codes: 64 if the settings are not valid, 66 if the account or session does not exist, 69 if the database \
            cannot be used.
            """,
        subcommands: [
            InviteCommand.self, ImportCommand.self, RecoveryLinkCommand.self, ListCommand.self, PolicyCommand.self,
            ShowCommand.self,
            SessionsCommand.self,
            EmailCommand.self, GroupsCommand.self, DisableCommand.self, EnableCommand.self, DeleteCommand.self,
        ]
    )
}
