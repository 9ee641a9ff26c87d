import GRDB
import Synchronization
import WardAccounts

/// Runs writing closures one after the other, and commits those that wait at the same time together.
///
/// A commit waits for the disk and costs much more than the closures, so under load one commit serves all waiting
/// closures. Each one has its own savepoint: it is rolled back alone if it throws, and it learns of its success only
/// after the commit. If the commit fails, all are rolled back and each runs again by itself, so no closure fails
/// because of another.
final class WriteQueue: Sendable {
    /// The maximum number of closures that share a commit, so that the first does not wait too long.
    static let batchLimit = 64

    private struct State {
        var waiting: [Job] = []
        var isScheduled = false
    }

    private let database: any DatabaseWriter
    private let state = Mutex(State())

    init(_ database: any DatabaseWriter) {
        self.database = database
    }

    /// Runs the closure in its turn.
    ///
    /// A task that is cancelled before its turn gets `CancellationError`.
    func run<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) async throws -> T) async throws -> T {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = Result<T>()
                enqueue(
                    Job { db in
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
        let mustSchedule = state.withLock { state in
            state.waiting.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    private func takeTurn(_ db: Database) {
        let (jobs, isMore) = state.withLock { state in
            let jobs = state.waiting.prefix(Self.batchLimit)
            state.waiting.removeFirst(jobs.count)
            state.isScheduled = !state.waiting.isEmpty
            return (jobs, state.isScheduled)
        }
        if isMore { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
        if jobs.count > 1, let errors = together(jobs, db) {
            for (job, error) in zip(jobs, errors) { job.finish(error) }
        } else {
            for job in jobs { job.finish(alone(job, db)) }
        }
    }

    /// Runs one closure in one transaction, and returns the error if it fails.
    private func alone(_ job: Job, _ db: Database) -> (any Error)? {
        do {
            // Cached; the database access methods would compile the statement every time.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            try job.attempt(db)
            try db.cachedStatement(sql: "COMMIT").execute()
            return nil
        } catch {
            // Roll back even if that fails; the first error is more useful.
            try? db.rollback()
            return error
        }
    }

    /// Runs all closures in one transaction.
    ///
    /// It returns the error of each, or `nil` if all must be rolled back.
    private func together(_ jobs: ArraySlice<Job>, _ db: Database) -> [(any Error)?]? {
        do {
            var errors: [(any Error)?] = []
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
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
    /// A waiting closure, with its result's type erased.
    private struct Job: Sendable {
        let attempt: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void

        init(
            attempt: @escaping @Sendable (Database) throws -> Void,
            finish: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.attempt = attempt
            self.finish = finish
        }
    }

    /// Keeps a closure's result until the commit; if the closure runs again, the last result is used.
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
