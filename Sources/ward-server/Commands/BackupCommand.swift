import ArgumentParser
import Foundation
import WardSQLite
import WardStoreSQLite
import WardSyncStoreSQLite

/// `ward-server backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the databases, and check the copies.",
        discussion: """
            The service may run at the same time. A copy has the state of its database at one moment. The file gets its \
            name only after it was checked and is on the disk. Only you can read it. It contains all data of the database, \
            so protect it like the database.

            A service that is also a sync server has two databases. Give a folder that exists: it gets ward.sqlite and \
            sync.sqlite. A file gets the database of the accounts, or the one that --only names.
            """
    )

    @Argument(help: ArgumentHelp("The path of a file or of a folder.", valueName: "place"))
    var place: String
    @Flag(help: "Replace a file that exists.")
    var replace = false
    @OptionGroup var options: ServiceDatabaseOptions

    func run() async throws {
        try await reportingFailures {
            let databases = try await options.find()
            guard !isFolder(place) else {
                let folder = URL(fileURLWithPath: place)
                for kind in databases.kinds(options.only) {
                    try backUp(kind, databases, to: folder.appendingPathComponent(kind.fileName).path)
                }
                return
            }
            try backUp(options.only ?? .accounts, databases, to: place)
            if options.only == nil, databases.hasSync {
                warn(
                    "this is the database of the accounts alone. For that of the sync server too, give a folder, or add --only sync"
                )
            }
        }
    }

    private func backUp(_ kind: ServiceDatabases.Kind, _ databases: ServiceDatabases, to file: String) throws {
        let path = databases.path(of: kind)
        let sentence = try kind.naming {
            switch kind {
            case .accounts: try DatabaseState.backUp(path, to: file, replacing: replace).sentence
            case .sync: try SyncDatabaseState.backUp(path, to: file, replacing: replace).sentence
            }
        }
        say("Backed up to \(file): \(sentence).")
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

extension SyncDatabaseState {
    /// What the database contains, in a few words.
    var sentence: String {
        let vaults = vaults == 1 ? "1 vault" : "\(vaults) vaults"
        let entries = entries == 1 ? "1 entry" : "\(entries) entries"
        return "\(vaults), \(entries)"
    }
}
