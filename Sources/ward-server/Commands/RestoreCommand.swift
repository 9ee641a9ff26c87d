import ArgumentParser
import WardStoreSQLite

/// `ward-server restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the database, and keep the database beside it.",
        discussion: """
            Stop the service first: a database in use is not replaced. The backup is checked before anything changes. Accounts, \
            passkeys and passwords are those of the backup: what people added since is in the kept database only, and what \
            they removed since works again. All sessions end.
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
