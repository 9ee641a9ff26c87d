package import GRDB
public import WardAccounts

/// Accounts in one SQLite file: nothing to install, nothing to run beside the service.
///
/// Readers work beside each other and beside the one writer (write-ahead log). A committed transaction survives a crash
/// of the process and of the machine: `PRAGMA synchronous` is `FULL`, so every commit waits for the disk.
///
/// One process opens the file; a second one works, but the two wait for each other's transactions, for up to
/// ``busyTimeout`` seconds. The file does not belong on a network file system.
///
/// Writing closures that wait at the same time share one commit, and so one wait for the disk; each is rolled back or
/// kept for itself. A task that is cancelled before its turn comes gets `CancellationError`; once its writing closure
/// has begun, it is finished and committed.
public final class SQLiteAccountStore: AccountStore {
    /// What closures ask their questions of.
    public typealias Transaction = SQLiteTransaction

    /// How long a transaction waits for one of another process, in seconds.
    public static let busyTimeout = 5.0

    private let database: any DatabaseWriter
    private let writes: WriteQueue
    private let gate = Gate()

    /// Opens a database, makes one if there is none, and brings it up to date.
    ///
    /// A new file can be read and written by its owner alone (mode 0600), and so can the two that SQLite puts beside
    /// it (`-wal`, `-shm`); the mode of an existing one stays. The call waits for the disk.
    ///
    /// - Parameter path: The file. Its directory must exist and be writable, since the two others appear there.
    /// - Throws: `StoreError.Code.damaged` if the file is no readable database; `StoreError.Code.unavailable` if it
    ///   cannot be opened, belongs to another program, or was made by a later version.
    public init(path: String) throws {
        database = try translatingErrors {
            try DatabaseFile.create(at: path)
            let pool = try DatabasePool(path: path, configuration: Self.configuration())
            // The pool sets NORMAL for write-ahead logs after `prepareDatabase` has run, and only on this connection:
            // the readers never commit. https://www.sqlite.org/pragma.html#pragma_synchronous
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.prepare(pool)
            return pool
        }
        writes = WriteQueue(database)
    }

    private init(queue: DatabaseQueue) throws {
        try translatingErrors { try Schema.prepare(queue) }
        database = queue
        writes = WriteQueue(queue)
    }

    /// Makes an empty database that is gone with the store: for tests and trials.
    public static func inMemory() throws -> SQLiteAccountStore {
        try SQLiteAccountStore(queue: translatingErrors { try DatabaseQueue(configuration: configuration()) })
    }

    /// Runs a closure that only asks, beside others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T {
        try await passing {
            try await database.read { db in
                try SQLiteTransaction.run(body, on: db)
            }
        }
    }

    /// Runs a closure in one transaction of its own, begun immediately and on the disk when this returns.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T
    {
        try await passing { try await writes.run(body) }
    }

    /// Reads the whole database and checks that its structure is sound and every reference leads somewhere.
    ///
    /// Takes as long as reading the file takes; the service can go on meanwhile.
    ///
    /// - Throws: `StoreError.Code.damaged` with the first finding.
    public func integrityCheck() async throws {
        try await passing {
            try await database.read { db in
                let finding = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
                guard finding == "ok" else { throw StoreError(.damaged, detail: finding ?? "no answer") }
                guard try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
                    throw StoreError(.damaged, detail: "a record names an account that is not there")
                }
            }
        }
    }

    /// Lets the transactions that were begun finish, writes the log back into the file, and closes it.
    ///
    /// Whoever comes later gets `StoreError.Code.unavailable`. Closing twice is not an error.
    ///
    /// - Throws: `StoreError.Code.unavailable` if the file could not be closed; what was committed is safe all the
    ///   same.
    public func close() async throws {
        guard await gate.close() else { return }
        // Readers first: SQLite writes the log back when the last connection goes, and a reader could not.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try translatingErrors { try database.close() }
    }

    /// Runs a closure on the writing connection, outside of transactions: for tests that look at the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.writeWithoutTransaction(body) }
    }

    /// How many writing closures wait for their turn: for tests that want them to share a commit.
    package var waitingWrites: Int { writes.waitingCount }

    private func passing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try gate.enter()
        defer { gate.leave() }
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "ward.accounts"
        configuration.prepareDatabase { db in
            // The file's own schema must not be able to run anything, and damage is looked for when a page is read.
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            // In KiB: enough for the upper levels of every index of a million accounts.
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        return configuration
    }
}
