import ArgumentParser
import WardSQLite
import WardStoreSQLite
import WardSyncStoreSQLite

/// `ward-server migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the tables of the databases up to date without serving.",
        discussion: """
            The service also does this when it starts. Stop the service first, and make a backup: afterwards, an earlier \
            version of the service cannot use the database.
            """
    )

    @OptionGroup var options: ServiceDatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let databases = try await options.find()
            for kind in databases.kinds(options.only) {
                let path = databases.path(of: kind)
                let (done, version) = try kind.naming {
                    switch kind {
                    case .accounts: (try DatabaseState.migrate(path), DatabaseState.currentSchemaVersion)
                    case .sync: (try SyncDatabaseState.migrate(path), SyncDatabaseState.currentSchemaVersion)
                    }
                }
                for name in done { say("Migrated: \(name)") }
                say("\(path) has schema version \(version)\(done.isEmpty ? " already" : "").")
            }
        }
    }
}
