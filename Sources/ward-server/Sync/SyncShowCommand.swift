import ArgumentParser
import WardSyncStoreSQLite
import WardText

/// `ward-server sync show`.
struct SyncShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a vault: its size, its devices, and when each was last there."
    )

    @Argument(help: ArgumentHelp("The vault's ID, or its first digits.", valueName: "vault"))
    var vault: String

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            let overview = try await store.overview(startingWith: vault)
            let visitors = overview.visitors.map(\.json)
            try options.show(.object(overview.members + [.init("visitors", .array(visitors))]), overview.lines)
        }
    }
}
