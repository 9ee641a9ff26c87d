import ArgumentParser
import WardStoreSQLite

/// `ward-server restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the database with a backup. The old database stays beside it.",
        discussion: """
            Stop the service first: a database that is in use is not replaced. The backup is checked before anything \
            changes. Afterwards the accounts, passkeys and passwords are those of the backup. What people added after the \
            backup is only in the old database, which stays. What they removed after the backup works again. All sessions \
            end.
            """
    )

    @Argument(help: ArgumentHelp("The backup's path.", valueName: "file"))
    var file: String
    @OptionGroup var store: DatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let path = try await store.path()
            try prepareDirectory(of: path)
            let done = try DatabaseMaintenance.restore(path, from: file)
            say("Restored \(path): \(done.state.sentence).")
            if let kept = done.kept { say("The database that was there is now \(kept).") }
        }
    }
}
