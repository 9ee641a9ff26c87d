import ArgumentParser
import Foundation
import WardSQLite
import WardStoreSQLite
import WardSyncStoreSQLite

/// `ward-server restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace databases with backups. The old databases stay beside them.",
        discussion: """
            Stop the service first: a database that is in use is not replaced. All backups are checked before anything \
            changes. Give the file of a backup, which can be of either database, or a folder with ward.sqlite, sync.sqlite or \
            both.

            Afterwards the accounts, passkeys and passwords are those of the backup. What people added after the backup is \
            only in the old database, which stays. What they removed after the backup works again. All sessions end.

            Devices see that the sync server was restored, and bring back what their vaults lack there. A vault that was \
            brought after the backup is not there. To sync it here again, a person brings it once more, with an account or an \
            invitation.
            """
    )

    @Argument(help: ArgumentHelp("The path of a backup, or of a folder of backups.", valueName: "place"))
    var place: String
    @OptionGroup var options: ServiceDatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let databases = try await options.find()
            // Everything is checked before the first database is replaced.
            let restores = try backups().map { try prepare($0.kind, databases.path(of: $0.kind), from: $0.file) }
            for finish in restores { try finish() }
        }
    }

    /// The backups that were given.
    private func backups() throws -> [(kind: ServiceDatabases.Kind, file: String)] {
        guard isFolder(place) else {
            // Whatever else the file is, the restore of a database of accounts says it.
            let kind = ServiceDatabases.Kind(ofFile: place) ?? options.only ?? .accounts
            guard options.only == nil || options.only == kind else {
                throw failure("\(place) is a backup of the other database: leave --only out", .unavailable)
            }
            return [(kind, place)]
        }
        let folder = URL(fileURLWithPath: place)
        let found = ServiceDatabases.Kind.allCases.map { ($0, folder.appendingPathComponent($0.fileName).path) }
            .filter { (options.only == nil || options.only == $0.0) && FileManager.default.fileExists(atPath: $0.1) }
        guard !found.isEmpty else {
            let wanted = options.only?.fileName ?? "ward.sqlite and no sync.sqlite"
            throw failure("there is no \(wanted) in \(place): give the path of a backup", .unavailable)
        }
        return found
    }

    /// Checks a restore.
    ///
    /// - Returns: What does it, and says so.
    private func prepare(
        _ kind: ServiceDatabases.Kind,
        _ path: String,
        from file: String
    ) throws -> () throws -> Void {
        guard path != ServeSettings.memory else {
            throw SettingsError("--sync-database: a database in memory has no file; give the path of a database")
        }
        try prepareDirectory(of: path)
        return try kind.naming {
            switch kind {
            case .accounts:
                let restore = try DatabaseRestore<DatabaseState>(of: path, from: file)
                return {
                    let done = try restore.finish()
                    report(path, done.contents.sentence, kept: done.kept)
                }
            case .sync:
                let restore = try DatabaseRestore<SyncDatabaseState>(of: path, from: file)
                return {
                    let done = try restore.finish()
                    report(path, done.contents.sentence, kept: done.kept)
                }
            }
        }
    }

    private func report(_ path: String, _ sentence: String, kept: String?) {
        say("Restored \(path): \(sentence).")
        if let kept { say("The database that was there is now \(kept).") }
    }
}
