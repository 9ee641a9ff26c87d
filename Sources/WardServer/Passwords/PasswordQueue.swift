import NIOPosix
import ServiceLifecycle
import Foundation
import Synchronization

/// The threads that check passwords, and the queue in front of them.
///
/// Argon2id uses a processor and its memory for tens of milliseconds; on the threads that serve connections a few
/// sign-ins would block all other requests. There are at most half as many password threads as processors, so passkeys
/// and pages keep the other half. The queue is bounded: when it is full, the client is told to try again later.
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
    ///   - threads: The number of threads; each uses the memory of one check.
    ///   - waiting: How many checks may wait besides those in work.
    package init(
        threads: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
        waiting: Int? = nil
    ) {
        self.threads = threads
        limit = threads + (waiting ?? threads * 32)
    }

    /// The number of password checks that run or wait.
    package var count: Int { state.withLock { $0.inside } }

    /// Runs a closure on a password thread, in its turn.
    ///
    /// The caller's task waits without blocking a thread.
    ///
    /// - Parameter work: The slow work.
    /// - Returns: The closure's result.
    /// - Throws: ``APIError`` with `passwords_busy` at once if the queue is full, with `unavailable` when the service
    ///   stops; or the closure's error.
    package func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let pool = try enter()
        defer { state.withLock { $0.inside -= 1 } }
        do {
            return try await pool.runIfActive(work)
        } catch is CancellationError where !Task.isCancelled {
            throw APIError.stopping
        }
    }

    /// The first check starts the threads; many services, such as those in tests, never need them.
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

    /// Waits until the service stops, then ends the threads.
    package func run() async throws {
        try? await gracefulShutdown()
        let pool = state.withLock { state in
            state.isStopped = true
            return state.pool.take()
        }
        // In a task of its own, so that cancellation does not stop the shutdown.
        await Task { try? await pool?.shutdownGracefully() }.value
    }
}

extension APIError {
    fileprivate static let stopping = APIError(.unavailable, "The service is stopping. Try again later.")
}
