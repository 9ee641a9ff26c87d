import ArgumentParser
import WardSyncRecords
import WardSyncStoreSQLite
import WardText

/// `ward-server sync delete`.
struct SyncDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a vault from the server.",
        discussion: """
            Its devices keep the whole vault, and say that the server does not have it. To sync here again, a person \
            brings the vault once more, with an account or an invitation. The service may run at the same time.
            """
    )

    @Argument(help: ArgumentHelp("The vault's ID, or its first digits.", valueName: "vault"))
    var vault: String

    @Flag(help: "Delete the vault. This cannot be undone.")
    var yes = false

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            let overview = try await store.overview(startingWith: vault)
            guard yes else {
                throw SettingsError(
                    "the vault was not deleted. Check it with ward-server sync show, then add --yes."
                )
            }
            _ = try await store.delete(overview.vault.id)
            try options.show(["deleted": .string(overview.id)], ["The vault \(overview.id) is deleted."])
        }
    }
}
