package import GRDB
public import WardAccounts

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
    public static let busyTimeout = 10.0

    /// How long one attempt to begin waits for another process.
    ///
    /// Attempts are repeated until ``busyTimeout`` has passed.
    private static let attemptTimeout = 0.5

    private let database: any DatabaseWriter
    let writes: WriteQueue
    private let gate = Gate()
    /// Absent in memory.
    ///
    /// This must be the last property, because it must be released after the connections.
    let lock: DatabaseLock?

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
        try translatingErrors { try DatabaseFile.create(at: path) }
        let lock = try DatabaseLock.shared(path)
        self.lock = lock
        database = try translatingErrors {
            let pool = try DatabasePool(path: path, configuration: Self.configuration())
            // The pool sets NORMAL for write-ahead logs after `prepareDatabase` has run, and only on this connection;
            // the readers never commit. https://www.sqlite.org/pragma.html#pragma_synchronous
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.prepare(pool)
            return pool
        }
        writes = WriteQueue(database, patience: patience)
    }

    private init(queue: DatabaseQueue) throws {
        try translatingErrors { try Schema.prepare(queue) }
        database = queue
        writes = WriteQueue(queue, patience: .seconds(Self.busyTimeout))
        lock = nil
    }

    /// Creates an empty database in memory, for tests and trials.
    public static func inMemory() throws -> SQLiteAccountStore {
        try SQLiteAccountStore(queue: translatingErrors { try DatabaseQueue(configuration: configuration()) })
    }

    /// Runs a closure that only reads, in parallel with others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T {
        try await passing { try snapshot { try SQLiteTransaction.run(body, on: $0) } }
    }

    /// Runs a closure in a reading transaction, on the calling thread.
    ///
    /// A read takes microseconds, and two changes of the thread take as long. The two statements are cached: GRDB's own reading
    /// transaction compiles them each time.
    private func snapshot<T>(_ body: (Database) throws -> T) throws -> T {
        // In memory, readers and writers share one connection. Only GRDB's transaction keeps readers from writing there.
        guard let pool = database as? DatabasePool else { return try database.read(body) }
        return try pool.unsafeRead { db in
            try db.cachedStatement(sql: "BEGIN DEFERRED").execute()
            // A transaction that only reads has nothing to lose.
            defer { try? db.cachedStatement(sql: "ROLLBACK").execute() }
            return try body(db)
        }
    }

    /// Runs a closure in one transaction, which begins immediately and is on the disk when this call returns.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T
    {
        try await passing { try await writes.run(body) }
    }

    /// Reads the whole database and checks its structure and every reference.
    ///
    /// It takes as long as reading the file; the service can run meanwhile.
    ///
    /// - Throws: `StoreError.Code.damaged` with the first problem.
    public func integrityCheck() async throws {
        try await passing {
            try await database.read { db in
                try Self.checkIntegrity(db)
            }
        }
    }

    static func checkIntegrity(_ db: Database) throws {
        let finding = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
        guard finding == "ok" else { throw StoreError(.damaged, detail: finding ?? "no answer") }
        guard try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
            throw StoreError(.damaged, detail: "a record belongs to an account that does not exist")
        }
    }

    /// The number of accounts that have a password and no passkey.
    package func passwordOnlyAccounts() async throws -> Int {
        try await passing {
            try await database.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(DatabaseState.passwordOnly)") ?? 0
            }
        }
    }

    /// Lets running transactions finish, copies the log into the file, and closes it.
    ///
    /// Later calls get `StoreError.Code.unavailable`. Closing twice is not an error.
    ///
    /// - Throws: `StoreError.Code.unavailable` if the file could not be closed; committed data is safe even then.
    public func close() async throws {
        guard await gate.close() else { return }
        // The readers are closed first: SQLite copies the log when the last connection closes, and a reader cannot do that.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try translatingErrors { try database.close() }
    }

    /// Runs a closure on the writing connection, outside of transactions, for tests of the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.writeWithoutTransaction(body) }
    }

    /// The number of waiting writing closures, for tests in which they share a commit.
    package var waitingWrites: Int { writes.waitingCount }

    func passing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
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
        configuration.busyMode = .timeout(attemptTimeout)
        configuration.label = "ward.accounts"
        configuration.prepareDatabase { db in
            // The schema in the file must not be able to run code, and SQLite must detect damage when it reads a page.
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            // The size of the cache in KiB. It is enough for the upper levels of every index with a million accounts.
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        return configuration
    }
}
