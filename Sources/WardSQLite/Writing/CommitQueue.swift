import GRDB
import Synchronization

/// Runs writing closures one after the other.
///
/// Closures that wait at the same time share one commit.
///
/// A commit waits for the disk and costs much more than the closures, so under load one commit serves all waiting
/// closures. Each one has its own savepoint: it is rolled back alone if it throws, and it learns of its success only
/// after the commit. If the commit fails, all are rolled back and each runs again by itself, so no closure fails
/// because of another.
///
/// While another process locks the database, or the disk is slow, closures wait up to their deadline and then fail with
/// `busy`. A closure also fails with this error if too many are waiting.
final class CommitQueue: Sendable {
    /// The maximum number of closures that share a commit.
    ///
    /// Otherwise the first one would wait too long.
    static let batchLimit = 64
    /// The maximum number of waiting closures.
    static let lengthLimit = 1_024

    private struct State {
        var waiting: [WaitingWrite] = []
        var isScheduled = false
    }

    private let database: any DatabaseWriter
    private let patience: Duration
    private let isFailure: @Sendable (any Error) -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - database: The database.
    ///   - patience: How long a closure waits for its turn.
    ///   - isFailure: Whether the transaction cannot go on after an error of a closure. After an error of SQLite it never can.
    init(_ database: any DatabaseWriter, patience: Duration, isFailure: @escaping @Sendable (any Error) -> Bool) {
        self.database = database
        self.patience = patience
        self.isFailure = isFailure
    }

    /// Runs the closure when it is its turn.
    ///
    /// The closure may run twice, each time from the beginning: what it did the first time was rolled back. A task that is cancelled
    /// before its turn gets `CancellationError`.
    ///
    /// - Throws: The closure's errors, `DatabaseError`, or ``DatabaseFailure`` with `busy`.
    func run<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = WriteResult<T>()
                enqueue(
                    WaitingWrite(deadline: .now + patience) { db in
                        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
                        result.keep(try body(db))
                    } finish: { error in
                        result.resume(continuation, error)
                    }
                )
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    /// The number of waiting closures.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func enqueue(_ write: WaitingWrite) {
        let (isAccepted, mustSchedule) = state.withLock { state in
            guard state.waiting.count < Self.lengthLimit else { return (false, false) }
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        guard isAccepted else { return write.finish(DatabaseFailure(.busy, detail: "too many writes are waiting")) }
        if mustSchedule { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    private func takeTurn(_ db: Database) {
        let (late, writes) = state.withLock { state in
            let now = ContinuousClock.now
            let late = state.waiting.filter { $0.deadline <= now }
            if !late.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
            let writes = state.waiting.prefix(Self.batchLimit)
            state.waiting.removeFirst(writes.count)
            return (late, writes)
        }
        for write in late { write.finish(DatabaseFailure(.busy, detail: "a write had to wait too long")) }
        let left = run(writes, db)
        let isMore = state.withLock { state in
            state.waiting.insert(contentsOf: left, at: 0)
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if isMore { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    /// Runs closures, and returns those that did not begin because another process had locked the database.
    private func run(_ writes: ArraySlice<WaitingWrite>, _ db: Database) -> ArraySlice<WaitingWrite> {
        guard !writes.isEmpty else { return [] }
        do {
            // The statement is cached. The database access methods would compile it every time.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return writes
        } catch {
            for write in writes { write.finish(error) }
            return []
        }
        if writes.count == 1, let write = writes.first {
            write.finish(inTransaction(write, db))
        } else if let errors = together(writes, db) {
            for (write, error) in zip(writes, errors) { write.finish(error) }
        } else {
            for write in writes { write.finish(alone(write, db)) }
        }
        return []
    }

    /// Runs one closure in one transaction, and returns the error if it fails.
    private func alone(_ write: WaitingWrite, _ db: Database) -> (any Error)? {
        do {
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        } catch {
            return error
        }
        return inTransaction(write, db)
    }

    /// Runs one closure in the transaction that began, and commits it.
    private func inTransaction(_ write: WaitingWrite, _ db: Database) -> (any Error)? {
        do {
            try write.attempt(db)
            try db.cachedStatement(sql: "COMMIT").execute()
            return nil
        } catch {
            // The transaction is rolled back. If that fails too, the first error is returned, because it is more useful.
            try? db.rollback()
            return error
        }
    }

    /// Runs all closures in the transaction that began.
    ///
    /// It returns the error of each closure, or `nil` if all must be rolled back.
    private func together(_ writes: ArraySlice<WaitingWrite>, _ db: Database) -> [(any Error)?]? {
        do {
            var errors: [(any Error)?] = []
            for write in writes {
                try db.cachedStatement(sql: "SAVEPOINT job").execute()
                do {
                    try write.attempt(db)
                    errors.append(nil)
                } catch {
                    // After an error of SQLite the whole transaction may be gone.
                    if error is DatabaseError || isFailure(error) { throw error }
                    try db.cachedStatement(sql: "ROLLBACK TO job").execute()
                    errors.append(error)
                }
                try db.cachedStatement(sql: "RELEASE job").execute()
            }
            try db.cachedStatement(sql: "COMMIT").execute()
            return errors
        } catch {
            try? db.rollback()
            return nil
        }
    }
}
