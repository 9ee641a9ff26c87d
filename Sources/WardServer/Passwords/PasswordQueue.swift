import NIOPosix
import ServiceLifecycle
import Foundation
import Synchronization

/// The threads that passwords are checked on, and the line in front of them.
///
/// Argon2id keeps a processor and its memory busy for tens of milliseconds; on the threads that serve connections a handful
/// of sign-ins would hold up everybody else. These threads are at most half of the machine's processors, so passkeys and
/// pages keep the other half, and the line has an end: whoever finds it full is told to come again, since an
/// answer after a minute helps nobody.
package final class PasswordQueue: Service {
    private struct State {
        var pool: NIOThreadPool?
        var inside = 0
        var isStopped = false
    }

    private let threads: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: How many work at once; each takes the memory of one check.
    ///   - waiting: How many may wait beside those in work.
    package init(
        threads: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
        waiting: Int? = nil
    ) {
        self.threads = threads
        limit = threads + (waiting ?? threads * 32)
    }

    /// How many are in work or wait.
    package var count: Int { state.withLock { $0.inside } }

    /// Runs a closure on a thread of its own, in its turn; the caller's task waits without holding a thread.
    ///
    /// - Parameter work: What takes long.
    /// - Returns: What the closure returned.
    /// - Throws: ``APIError`` with `passwords_busy` at once when the line is full, with `unavailable` when the service
    ///   stops; or what the closure throws.
    package func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let pool = try enter()
        defer { state.withLock { $0.inside -= 1 } }
        do {
            return try await pool.runIfActive(work)
        } catch is CancellationError where !Task.isCancelled {
            throw APIError.stopping
        }
    }

    /// Threads are started by the first who needs one: most services of tests, and some others, never do.
    private func enter() throws(APIError) -> NIOThreadPool {
        try state.withLock { state throws(APIError) in
            guard !state.isStopped else { throw .stopping }
            guard state.inside < limit else {
                throw APIError(
                    .passwordsBusy,
                    "Too many passwords are being checked; try again in a moment.",
                    retryAfter: 2
                )
            }
            state.inside += 1
            if let pool = state.pool { return pool }
            let pool = NIOThreadPool(numberOfThreads: threads)
            pool.start()
            state.pool = pool
            return pool
        }
    }

    /// Waits for the end of the service and ends the threads.
    package func run() async throws {
        try? await gracefulShutdown()
        let pool = state.withLock { state in
            state.isStopped = true
            return state.pool.take()
        }
        // Shielded: the threads end even where the task was cancelled instead.
        await Task { try? await pool?.shutdownGracefully() }.value
    }
}

extension APIError {
    fileprivate static let stopping = APIError(.unavailable, "The service is about to stop.")
}
