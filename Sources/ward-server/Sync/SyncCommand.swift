import ArgumentParser

/// `ward-server sync`.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Invite people to the sync server, and list and delete vaults.",
        discussion: """
            The sync server runs as a part of ward-server serve --sync. A person signs in there with an \
            account of the service to bring a vault, or uses an invitation.

            Exit codes: 64 if the settings are not valid, 66 if the vault or the invitation does not exist, 69 if the \
            database cannot be used.
            """,
        subcommands: [
            SyncInviteCommand.self, SyncInvitationsCommand.self, SyncWithdrawCommand.self, SyncListCommand.self,
            SyncShowCommand.self, SyncDeleteCommand.self,
        ]
    )
}
