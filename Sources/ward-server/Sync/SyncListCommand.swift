import ArgumentParser
import WardSyncRecords
import WardSyncStoreSQLite
import WardText

/// `ward-server sync list`.
struct SyncListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all vaults with their sizes, in the order in which they were brought.",
        discussion: """
            With --json, each line is one vault. The server has no names of vaults: they are known by their IDs alone. Nothing \
            of what is in a vault can be shown.
            """
    )

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            var page = try await store.overviews(after: nil, limit: 500)
            while let last = page.last {
                for overview in page { try options.show(.object(overview.members), [overview.line]) }
                page = try await store.overviews(after: last.vault.id, limit: 500)
            }
        }
    }
}
