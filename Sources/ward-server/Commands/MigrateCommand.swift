import ArgumentParser
import WardStoreSQLite

/// `ward-server migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database's tables up to date without serving.",
        discussion: """
            The service also does this when it starts. Stop the service first, and make a backup: afterwards, an earlier \
            version of the service cannot use the database.
            """
    )

    @OptionGroup var store: DatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let path = try await store.path()
            let done = try DatabaseMaintenance.migrate(path)
            for name in done { say("Migrated: \(name)") }
            say("\(path) has schema version \(DatabaseState.currentSchemaVersion)\(done.isEmpty ? " already" : "").")
        }
    }
}
