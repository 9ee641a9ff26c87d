import ArgumentParser
import WardStoreSQLite

/// `ward-server backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database to a file, and check the copy.",
        discussion: """
            The service may run at the same time. The copy has the state of the database at one moment. The file gets its \
            name only after it was checked and is on the disk. Only you can read it. It contains all data of the database, \
            so protect it like the database.
            """
    )

    @Argument(help: ArgumentHelp("The backup's path.", valueName: "file"))
    var file: String
    @Flag(help: "Replace the file if it exists.")
    var replace = false
    @OptionGroup var store: DatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let state = try DatabaseMaintenance.backUp(try await store.path(), to: file, replacing: replace)
            say("Backed up to \(file): \(state.sentence).")
        }
    }
}

extension DatabaseState {
    /// What the database contains, in a few words.
    var sentence: String {
        let accounts = accounts == 1 ? "1 account" : "\(accounts) accounts"
        let passkeys = passkeys == 1 ? "1 passkey" : "\(passkeys) passkeys"
        return "\(accounts), \(passkeys)"
    }
}
