import ArgumentParser
import Configuration
import Foundation
import WardSyncStoreSQLite
import WardText

/// The options of all commands for the database of the sync server.
struct SyncStoreOptions: ParsableArguments {
    @Option(help: .syncDatabase) var syncDatabase: String?
    @OptionGroup var store: DatabaseOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs a command with the database of the sync server.
    ///
    /// A database that does not exist is not created: no server would read what a command writes there.
    ///
    /// - Parameter body: The command.
    /// - Throws: The exit code of a failure, which was said before.
    func withStore(_ body: (SQLiteSyncStore) async throws -> Void) async throws {
        try await reportingFailures {
            var values = store.values
            values.set(.syncDatabase, syncDatabase)
            let reader = try await SettingsReader(values)
            let beside = try await reader.string(.database) ?? ServeSettings.usualDatabase
            let path = try await SyncSettings.database(reader, beside: beside)
            guard path != ServeSettings.memory else {
                throw SettingsError("--sync-database: a database in memory has no file; give the path of a database")
            }
            guard FileManager.default.fileExists(atPath: path) else {
                throw SettingsError(
                    "--sync-database: there is no database at \(path). Give the path of the sync server's database, or start "
                        + "ward-server serve --sync once."
                )
            }
            let vaults = try SQLiteSyncStore(path: path)
            try await body(vaults)
            try await vaults.close()
        }
    }

    /// Prints JSON or lines of text, according to the options.
    func show(_ json: JSONValue, _ lines: @autoclosure () -> [String]) throws {
        if self.json {
            try answer(json.text)
        } else {
            for line in lines() { try answer(line) }
        }
    }
}
