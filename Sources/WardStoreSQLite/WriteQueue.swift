import GRDB
import Synchronization
import WardAccounts

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
/// `StoreError.Code.busy`. A closure also fails with this error if too many are waiting.
final class WriteQueue: Sendable {
    /// The maximum number of closures that share a commit.
    ///
    /// Otherwise the first one would wait too long.
    static let batchLimit = 64
    /// The maximum number of waiting closures.
    static let lengthLimit = 1_024

    private struct State {
        var waiting: [Job] = []
        var isScheduled = false
    }

    private let database: any DatabaseWriter
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - database: The database.
    ///   - patience: How long a closure waits for its turn.
    init(_ database: any DatabaseWriter, patience: Duration) {
        self.database = database
        self.patience = patience
    }

    /// Runs the closure when it is its turn.
    ///
    /// A task that is cancelled before its turn gets `CancellationError`.
    func run<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = Result<T>()
                enqueue(
                    Job(deadline: .now + patience) { db in
                        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
                        result.keep(try SQLiteTransaction.run(body, on: db))
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

    private func enqueue(_ job: Job) {
        let (isAccepted, mustSchedule) = state.withLock { state in
            guard state.waiting.count < Self.lengthLimit else { return (false, false) }
            state.waiting.append(job)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        guard isAccepted else { return job.finish(StoreError(.busy, detail: "too many writes are waiting")) }
        if mustSchedule { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    private func takeTurn(_ db: Database) {
        let (late, jobs) = state.withLock { state in
            let now = ContinuousClock.now
            let late = state.waiting.filter { $0.deadline <= now }
            if !late.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
            let jobs = state.waiting.prefix(Self.batchLimit)
            state.waiting.removeFirst(jobs.count)
            return (late, jobs)
        }
        for job in late { job.finish(StoreError(.busy, detail: "a write had to wait too long")) }
        let left = run(jobs, db)
        let isMore = state.withLock { state in
            state.waiting.insert(contentsOf: left, at: 0)
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if isMore { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    /// Runs closures, and returns those that did not begin because another process had locked the database.
    private func run(_ jobs: ArraySlice<Job>, _ db: Database) -> ArraySlice<Job> {
        guard !jobs.isEmpty else { return [] }
        do {
            // The statement is cached. The database access methods would compile it every time.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return jobs
        } catch {
            for job in jobs { job.finish(error) }
            return []
        }
        if jobs.count == 1, let job = jobs.first {
            job.finish(inTransaction(job, db))
        } else if let errors = together(jobs, db) {
            for (job, error) in zip(jobs, errors) { job.finish(error) }
        } else {
            for job in jobs { job.finish(alone(job, db)) }
        }
        return []
    }

    /// Runs one closure in one transaction, and returns the error if it fails.
    private func alone(_ job: Job, _ db: Database) -> (any Error)? {
        do {
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return StoreError(.busy, detail: "SQLite \(error.extendedResultCode)")
        } catch {
            return error
        }
        return inTransaction(job, db)
    }

    /// Runs one closure in the transaction that began, and commits it.
    private func inTransaction(_ job: Job, _ db: Database) -> (any Error)? {
        do {
            try job.attempt(db)
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
    private func together(_ jobs: ArraySlice<Job>, _ db: Database) -> [(any Error)?]? {
        do {
            var errors: [(any Error)?] = []
            for job in jobs {
                try db.cachedStatement(sql: "SAVEPOINT job").execute()
                do {
                    try job.attempt(db)
                    errors.append(nil)
                } catch {
                    if let error = error as? StoreError, !error.code.isRefusal { throw error }
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

extension WriteQueue {
    /// A waiting closure.
    ///
    /// The type of its result is erased.
    private struct Job: Sendable {
        /// The time at which the closure fails, unless it has begun.
        let deadline: ContinuousClock.Instant
        let attempt: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void

        init(
            deadline: ContinuousClock.Instant,
            attempt: @escaping @Sendable (Database) throws -> Void,
            finish: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.deadline = deadline
            self.attempt = attempt
            self.finish = finish
        }
    }

    /// Stores a closure's result until the commit.
    ///
    /// If the closure runs again, the last result is used.
    private final class Result<T: Sendable>: Sendable {
        private let value = Mutex<T?>(nil)

        func keep(_ result: T) {
            value.withLock { $0 = result }
        }

        func resume(_ continuation: CheckedContinuation<T, any Error>, _ error: (any Error)?) {
            if let error {
                continuation.resume(throwing: error)
            } else if let result = value.withLock({ $0 }) {
                continuation.resume(returning: result)
            } else {
                continuation.resume(throwing: StoreError(.unavailable, detail: "a closure returned no result"))
            }
        }
    }
}
