import GRDB
import Synchronization
import WardSyncRecords

/// Runs writing closures one after the other.
///
/// Closures that wait at the same time share one commit, and so one wait for the disk. Each has its own savepoint: it is rolled back
/// alone if it throws, and it learns of its success only after the commit.
final class CommitQueue: Sendable {
    /// The maximum number of closures that share a commit.
    private static let batchLimit = 64
    /// The maximum number of waiting closures.
    private static let lengthLimit = 1_024

    /// A waiting closure, without the type of its result.
    private struct Job: Sendable {
        let attempt: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isScheduled = false
    }

    private let database: any DatabaseWriter
    private let state = Mutex(State())

    init(_ database: any DatabaseWriter) { self.database = database }

    /// Runs the closure when it is its turn.
    ///
    /// The closure may run twice, each time from the beginning: what it did the first time was rolled back.
    func run<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let result = Mutex<T?>(nil)
            let kept = Shared(result)
            enqueue(
                Job { db in
                    kept.set(try body(db))
                } finish: { error in
                    guard let error else {
                        return continuation.resume(with: kept.result)
                    }
                    continuation.resume(throwing: error)
                }
            )
        }
    }

    private final class Shared<T: Sendable>: Sendable {
        private let value: Mutex<T?>

        init(_ value: consuming sending Mutex<T?>) { self.value = value }

        func set(_ new: T) { value.withLock { $0 = new } }

        var result: Result<T, any Error> {
            value.withLock { $0 }.map { .success($0) } ?? .failure(SyncStoreError(.unavailable, detail: "no result"))
        }
    }

    private func enqueue(_ job: Job) {
        let (isAccepted, mustSchedule) = state.withLock { state in
            guard state.waiting.count < Self.lengthLimit else { return (false, false) }
            state.waiting.append(job)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        guard isAccepted else { return job.finish(SyncStoreError(.busy, detail: "too many writes are waiting")) }
        if mustSchedule { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    private func takeTurn(_ db: Database) {
        let jobs = state.withLock { state in
            let jobs = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(jobs.count)
            return jobs
        }
        if let errors = together(jobs, db) {
            for (job, error) in zip(jobs, errors) { job.finish(error) }
        } else {
            // The commit failed, perhaps because of one of them.
            for job in jobs { job.finish(together([job], db)?[0] ?? Self.failed) }
        }
        let isMore = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if isMore { database.asyncWriteWithoutTransaction { self.takeTurn($0) } }
    }

    private static var failed: SyncStoreError { SyncStoreError(.unavailable, detail: "the commit failed") }

    /// Runs closures in one transaction, and commits it.
    ///
    /// The result has the error of each closure, or is `nil` if all were rolled back.
    private func together(_ jobs: [Job], _ db: Database) -> [(any Error)?]? {
        do {
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        } catch {
            return jobs.map { _ in error }
        }
        do {
            var errors: [(any Error)?] = []
            for job in jobs {
                try db.cachedStatement(sql: "SAVEPOINT job").execute()
                do {
                    try job.attempt(db)
                    errors.append(nil)
                } catch {
                    // After an error of SQLite the whole transaction may be gone.
                    if jobs.count > 1, (error as? SyncStoreError)?.code.isRefusal != true { throw error }
                    if jobs.count == 1 {
                        try? db.rollback()
                        return [error]
                    }
                    try db.cachedStatement(sql: "ROLLBACK TO job").execute()
                    errors.append(error)
                }
                try db.cachedStatement(sql: "RELEASE job").execute()
            }
            try db.cachedStatement(sql: "COMMIT").execute()
            return errors
        } catch {
            try? db.rollback()
            return jobs.count == 1 ? [error] : nil
        }
    }
}
