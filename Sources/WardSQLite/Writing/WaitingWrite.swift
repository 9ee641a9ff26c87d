import GRDB
import Synchronization

/// A closure that waits for its turn.
///
/// The type of its result is erased.
struct WaitingWrite: Sendable {
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
final class WriteResult<T: Sendable>: Sendable {
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
            continuation.resume(throwing: DatabaseFailure(.unavailable, detail: "a closure returned no result"))
        }
    }
}
