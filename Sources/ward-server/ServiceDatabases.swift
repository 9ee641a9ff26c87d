import ArgumentParser
import Configuration
import Foundation
import WardSQLite
import WardStoreSQLite
import WardSyncStoreSQLite

/// The databases of a service, for commands that work with each of them.
struct ServiceDatabases {
    /// A database of a service.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case accounts
        case sync

        /// The name of its file in a folder of backups.
        var fileName: String {
            switch self {
            case .accounts: "ward.sqlite"
            case .sync: "sync.sqlite"
            }
        }

        private var applicationID: Int {
            switch self {
            case .accounts: DatabaseState.schema.applicationID
            case .sync: SyncDatabaseState.schema.applicationID
            }
        }

        /// The kind of a database file; `nil` if the file is not a database of Ward.
        init?(ofFile path: String) {
            // https://www.sqlite.org/fileformat.html#application_id
            guard let file = FileHandle(forReadingAtPath: path), (try? file.seek(toOffset: 68)) != nil,
                let bytes = try? file.read(upToCount: 4), bytes.count == 4
            else { return nil }
            let found = bytes.reduce(0) { $0 << 8 | Int($1) }
            guard let kind = Self.allCases.first(where: { $0.applicationID == found }) else { return nil }
            self = kind
        }

        /// Runs a closure, and says which database cannot be used.
        func naming<T>(_ body: () throws -> T) throws -> T {
            do {
                return try body()
            } catch let error as DatabaseFailure {
                let name =
                    switch self {
                    case .accounts: "the database"
                    case .sync: "the database of the sync server"
                    }
                throw failure("\(name) cannot be used: \(error)", .unavailable)
            }
        }
    }

    private let paths: [Kind: String]

    /// Whether there is a sync server, or was one.
    let hasSync: Bool

    /// Reads where the databases are.
    ///
    /// - Throws: ``SettingsError``.
    init(_ reader: SettingsReader) async throws {
        let accounts = try await reader.databaseFile()
        let sync = try await SyncSettings.database(reader, beside: accounts)
        paths = [.accounts: accounts, .sync: sync]
        let isNamed = try await reader.string(.syncDatabase) != nil
        let isOn = try await reader.flag(.sync)
        hasSync = sync != ServeSettings.memory && (isNamed || isOn || FileManager.default.fileExists(atPath: sync))
    }

    func path(of kind: Kind) -> String { paths[kind] ?? ServeSettings.memory }

    /// The databases that a command works with.
    ///
    /// - Parameter only: The only one that was asked for.
    /// - Returns: That one; otherwise both, if there are two.
    func kinds(_ only: Kind?) -> [Kind] { only.map { [$0] } ?? (hasSync ? Kind.allCases : [.accounts]) }
}

/// The options for the databases of a command.
struct ServiceDatabaseOptions: ParsableArguments {
    @Option(help: .syncDatabase) var syncDatabase: String?
    @OptionGroup var store: DatabaseOptions

    @Option(
        help: ArgumentHelp(
            "Use one database: accounts or sync (default: both, if there are two).",
            valueName: "database"
        )
    )
    var only: ServiceDatabases.Kind?

    /// Where the databases are, by the options, the environment and the settings file.
    ///
    /// - Throws: ``SettingsError``.
    func find() async throws -> ServiceDatabases {
        var values = store.values
        values.set(.syncDatabase, syncDatabase)
        return try await ServiceDatabases(try await SettingsReader(values))
    }
}

/// Whether a path leads to a folder.
func isFolder(_ path: String) -> Bool {
    PrivateFiles.attributes(of: path)?[.type] as? FileAttributeType == .typeDirectory
}
