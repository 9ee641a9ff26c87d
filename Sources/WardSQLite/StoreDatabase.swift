package import GRDB

/// The database of a store: one SQLite file, or memory.
///
/// Readers run in parallel with each other and with the one writer (write-ahead log). A committed transaction survives a crash of the
/// process or the machine: `PRAGMA synchronous` is `FULL`, so every commit waits for the disk. Writing closures that wait at the same
/// time share one commit.
///
/// Calls throw SQLite's errors and ``DatabaseFailure``; the store translates them.
package final class StoreDatabase: Sendable {
    /// How long a writing closure waits for its turn, for example while another process writes, in seconds.
    package static let busyTimeout = 10.0
    /// How long one attempt to begin waits for another process.
    ///
    /// Attempts are repeated until a closure's time is over.
    private static let attemptTimeout = 0.5

    private let connection: any DatabaseWriter
    private let writes: CommitQueue
    private let gate = Gate()
    /// Absent in memory.
    ///
    /// This must be the last property, because it must be released after the connections.
    private let lock: DatabaseLock?

    /// Opens a file, creates it if it does not exist, and brings its tables up to date.
    ///
    /// Only the owner can read and write a new file (mode 0600) and the two files that SQLite puts beside it (`-wal`, `-shm`); the mode of
    /// an existing file stays. The call waits for the disk.
    ///
    /// - Parameters:
    ///   - path: The file. Its directory must exist and be writable.
    ///   - schema: The tables.
    ///   - label: The name of the connections in debuggers.
    ///   - patience: How long a writing closure waits for its turn.
    ///   - isFailure: Whether a transaction cannot go on after an error of a closure.
    /// - Throws: ``DatabaseFailure``: `damaged` if the file is not a readable database; `unavailable` if it cannot be opened, belongs to
    ///   another program, is being restored, or was written by a later version.
    package init(
        path: String,
        _ schema: DatabaseSchema,
        label: String,
        patience: Duration = .seconds(busyTimeout),
        isFailure: @escaping @Sendable (any Error) -> Bool
    ) throws {
        try translatingErrors { try DatabaseFile.create(at: path, schema) }
        lock = try DatabaseLock.shared(path)
        connection = try translatingErrors {
            let pool = try DatabasePool(path: path, configuration: Self.configuration(label))
            // The pool sets NORMAL for write-ahead logs after `prepareDatabase` has run, and only on this connection;
            // the readers never commit. https://www.sqlite.org/pragma.html#pragma_synchronous
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try schema.prepare(pool)
            return pool
        }
        writes = CommitQueue(connection, patience: patience, isFailure: isFailure)
    }

    /// Creates an empty database in memory, for tests and trials.
    package init(
        inMemory schema: DatabaseSchema,
        label: String,
        isFailure: @escaping @Sendable (any Error) -> Bool
    ) throws {
        connection = try translatingErrors {
            let queue = try DatabaseQueue(configuration: Self.configuration(label))
            try schema.prepare(queue)
            return queue
        }
        writes = CommitQueue(connection, patience: .seconds(Self.busyTimeout), isFailure: isFailure)
        lock = nil
    }

    private static func configuration(_ label: String) -> Configuration {
        var configuration = Configuration.checking
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(attemptTimeout)
        configuration.label = label
        configuration.prepareDatabase { db in
            // The size of the cache in KiB. It is enough for the upper levels of every index with a million accounts.
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        return configuration
    }

    // MARK: Reading and writing

    /// Runs a closure in a reading transaction, on a thread of a reader.
    ///
    /// The reader is free again when the closure ends, and not only when the task goes on. A task cannot go on while all threads of tasks
    /// wait for readers in ``readHere(_:)``.
    package func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try await passing {
            try await withCheckedThrowingContinuation { continuation in
                connection.asyncRead { database in
                    continuation.resume(with: Result { try body(database.get()) })
                }
            }
        }
    }

    /// Runs a closure in a reading transaction, on the calling thread.
    ///
    /// For reads that take microseconds: two changes of the thread take as long. The two statements are cached: GRDB's own reading
    /// transaction compiles them each time.
    package func readHere<T>(_ body: (Database) throws -> T) throws -> T {
        try gate.enter()
        defer { gate.leave() }
        // In memory, readers and writers share one connection. Only GRDB's transaction keeps readers from writing there.
        guard let pool = connection as? DatabasePool else { return try connection.read(body) }
        return try pool.unsafeRead { db in
            try db.cachedStatement(sql: "BEGIN DEFERRED").execute()
            // A transaction that only reads has nothing to lose.
            defer { try? db.cachedStatement(sql: "ROLLBACK").execute() }
            return try body(db)
        }
    }

    /// Runs a closure in one transaction, which begins immediately and is on the disk when this call returns.
    ///
    /// The closure may run twice, each time from the beginning. A task that is cancelled before its turn gets `CancellationError`.
    package func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await writes.run(body) }
    }

    /// The number of waiting writing closures, for tests in which they share a commit.
    package var waitingWrites: Int { writes.waitingCount }

    /// Runs a closure on the writing connection, outside of transactions, for tests of the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await connection.writeWithoutTransaction(body) }
    }

    // MARK: Upkeep

    /// Checks that the file is still at its path.
    ///
    /// A file that was deleted or replaced can still be written, but its data is lost when the service ends.
    ///
    /// - Throws: ``DatabaseFailure`` with `unavailable`.
    package func checkPlace() throws {
        if let lock, !lock.isInPlace {
            throw DatabaseFailure(
                .unavailable,
                detail: "the database file was deleted or replaced: restart the service"
            )
        }
    }

    /// Lets running calls finish, copies the log into the file, and closes it.
    ///
    /// Later calls get `unavailable`. Closing twice is not an error.
    package func close() async throws {
        guard await gate.close() else { return }
        // The readers are closed first: SQLite copies the log when the last connection closes, and a reader cannot do that.
        (connection as? DatabasePool)?.invalidateReadOnlyConnections()
        try translatingErrors { try connection.close() }
    }

    private func passing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try gate.enter()
        defer { gate.leave() }
        return try await body()
    }
}

extension Configuration {
    /// The schema in a file must not be able to run code, and SQLite must detect damage when it reads a page.
    static var checking: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        return configuration
    }
}

extension Database {
    /// Checks the structure of the whole file and every reference.
    ///
    /// - Throws: ``DatabaseFailure`` with `damaged` and the first problem.
    package func checkIntegrity() throws {
        let finding = try String.fetchOne(self, sql: "PRAGMA integrity_check(1)")
        guard finding == "ok" else { throw DatabaseFailure(.damaged, detail: finding ?? "no answer") }
        guard try Row.fetchOne(self, sql: "PRAGMA foreign_key_check") == nil else {
            throw DatabaseFailure(.damaged, detail: "a record belongs to another one that does not exist")
        }
    }
}
