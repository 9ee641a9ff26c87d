import ArgumentParser

/// `ward-server sync`.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Let people bring vaults to the sync server.",
        discussion: """
            The sync server runs as a part of ward-server serve --sync. A vault needs an invitation.

            Exit codes: 64 if the settings are not valid, 69 if the database cannot be used.
            """,
        subcommands: [SyncInviteCommand.self]
    )
}
