package import GRDB
public import WardAccounts
import WardSQLite

/// Accounts in one SQLite file, without a separate database server.
///
/// Readers run in parallel with each other and with the one writer (write-ahead log). A committed transaction survives
/// a crash of the process or the machine: `PRAGMA synchronous` is `FULL`, so every commit waits for the disk.
///
/// Use the file from one process. A second process works, but both wait for each other's transactions, for up to
/// ``busyTimeout`` seconds. Do not put the file on a network file system.
///
/// Writing closures that wait at the same time share one commit, and so one wait for the disk; each one succeeds or is
/// rolled back by itself. A task that is cancelled before its turn gets `CancellationError`. Once its writing closure
/// has begun, it is finished and committed.
public final class SQLiteAccountStore: AccountStore {
    /// The transaction that closures get.
    public typealias Transaction = SQLiteTransaction

    /// How long a writing closure waits for its turn, for example while another process writes, in seconds.
    ///
    /// After that, or if 1,024 closures are already waiting, the call fails with `StoreError.Code.busy`. The closure has not
    /// run then.
    public static let busyTimeout = StoreDatabase.busyTimeout

    private let database: StoreDatabase

    /// Opens a database.
    ///
    /// If the file does not exist, it is created. An older database is migrated.
    ///
    /// Only the owner can read and write a new file (mode 0600) and the two files that SQLite puts beside it (`-wal`,
    /// `-shm`); the mode of an existing file stays. The call waits for the disk.
    ///
    /// - Parameter path: The file. Its directory must exist and be writable, because SQLite creates two more files
    ///   there.
    /// - Throws: `StoreError.Code.damaged` if the file is not a readable database; `StoreError.Code.unavailable` if it
    ///   cannot be opened, belongs to another program, or was written by a later version.
    public convenience init(path: String) throws {
        try self.init(path: path, patience: .seconds(Self.busyTimeout))
    }

    /// Opens a database with a given time limit for waiting writers.
    package init(path: String, patience: Duration) throws {
        database = try translatingErrors {
            try StoreDatabase(
                path: path,
                Schema.database,
                label: Self.label,
                patience: patience,
                isFailure: Self.isFailure
            )
        }
    }

    private init(_ database: StoreDatabase) { self.database = database }

    /// Creates an empty database in memory, for tests and trials.
    public static func inMemory() throws -> SQLiteAccountStore {
        let database = try translatingErrors {
            try StoreDatabase(inMemory: Schema.database, label: label, isFailure: isFailure)
        }
        return SQLiteAccountStore(database)
    }

    private static let label = "ward.accounts"

    /// Whether a transaction cannot go on after an error of a closure.
    private static func isFailure(_ error: any Error) -> Bool {
        (error as? StoreError).map { !$0.code.isRefusal } ?? false
    }

    /// Runs a closure that only reads, in parallel with others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T {
        try translatingErrors { try database.readHere { try SQLiteTransaction.run(body, on: $0) } }
    }

    /// Runs a closure in one transaction, which begins immediately and is on the disk when this call returns.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T
    {
        try await passing { try await database.write { try SQLiteTransaction.run(body, on: $0) } }
    }

    /// Reads the whole database and checks its structure and every reference.
    ///
    /// It takes as long as reading the file; the service can run meanwhile.
    ///
    /// - Throws: `StoreError.Code.damaged` with the first problem.
    public func integrityCheck() async throws {
        try await passing { try await database.read { try $0.checkIntegrity() } }
    }

    /// The number of accounts that have a password and no passkey.
    package func passwordOnlyAccounts() async throws -> Int {
        try await passing {
            try await database.read { try $0.count(DatabaseState.passwordOnly) }
        }
    }

    /// Lets running transactions finish, copies the log into the file, and closes it.
    ///
    /// Later calls get `StoreError.Code.unavailable`. Closing twice is not an error.
    ///
    /// - Throws: `StoreError.Code.unavailable` if the file could not be closed; committed data is safe even then.
    public func close() async throws { try await passing { try await database.close() } }

    /// Writes and commits a few bytes, and checks that the file is still at its path.
    ///
    /// A file that was deleted or replaced can still be written, but its data is lost when the service ends.
    ///
    /// - Throws: `StoreError.Code.unavailable` if the store cannot write or the file is gone.
    public func probe() async throws {
        try translatingErrors { try database.checkPlace() }
        try await write { tx in
            _ = try tx.insert("INSERT OR REPLACE INTO secret (name, bytes) VALUES ('probe', randomblob(8))", [])
        }
    }

    /// Runs a closure on the writing connection, outside of transactions, for tests of the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.onWriter(body) }
    }

    /// The number of waiting writing closures, for tests in which they share a commit.
    package var waitingWrites: Int { database.waitingWrites }

    private func passing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch {
            throw DatabaseFailure(error).map { StoreError($0) } ?? error
        }
    }
}
