import ArgumentParser
import WardStoreSQLite

/// `ward-server backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database to a file, and check the copy.",
        discussion: """
            The service may run meanwhile. The copy is complete at one moment; it has its name only when it was checked and \
            is on the disk. Only you can read it. It contains everything that the database does, so keep it as secret.
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
