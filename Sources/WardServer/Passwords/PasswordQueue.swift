import Foundation
import NIOPosix
import ServiceLifecycle
import Synchronization
package import WardAccounts

/// The threads that check passwords, and the queue in front of them.
///
/// Argon2id uses a processor and its memory for tens of milliseconds; on the threads that serve connections a few
/// sign-ins would block all other requests. There are at most half as many password threads as processors, so passkeys
/// and pages keep the other half.
///
/// Clients take turns: no matter how many checks a client has in the queue, the others wait for at most one of them. The queue
/// is bounded. When it is full, a new check replaces the last one of the client with the most checks, unless this is the same
/// client. A check without a place fails, and the client can try again later.
package final class PasswordQueue: Service {
    /// The client that a check belongs to.
    package enum Client: Hashable, Sendable {
        /// The owner of an account, in a session.
        case account(AccountID)
        /// A browser that signed in before.
        case device([UInt8])
        /// All other clients with the same address. Those without a known address count as one client.
        case address(ClientAddress?)
    }

    private final class Waiting: Sendable {
        let continuation: CheckedContinuation<NIOThreadPool, any Error>
        init(_ continuation: CheckedContinuation<NIOThreadPool, any Error>) { self.continuation = continuation }
    }

    private struct State {
        var pool: NIOThreadPool?
        var running = 0
        /// The waiting checks by client, the oldest first.
        var waiting: [Client: [(id: Int, check: Waiting)]] = [:]
        /// The clients in the order of their turns.
        var turns: [Client] = []
        var waitingCount = 0
        var lastID = 0
        var isStopped = false

        /// The first check starts the threads.
        ///
        /// Many services, such as those in tests, never need threads.
        mutating func startedPool(_ threads: Int) -> NIOThreadPool {
            if let pool { return pool }
            let started = NIOThreadPool(numberOfThreads: threads)
            started.start()
            pool = started
            return started
        }

        mutating func append(_ check: Waiting, _ id: Int, of client: Client) {
            if waiting[client] == nil { turns.append(client) }
            waiting[client, default: []].append((id, check))
            waitingCount += 1
        }

        /// Takes the next check of the client whose turn it is.
        mutating func next() -> Waiting? {
            guard let client = turns.first, let check = waiting[client]?.removeFirst() else { return nil }
            turns.removeFirst()
            waitingCount -= 1
            if waiting[client]?.isEmpty == false { turns.append(client) } else { waiting[client] = nil }
            return check.check
        }

        mutating func remove(_ id: Int, of client: Client) -> Waiting? {
            guard let index = waiting[client]?.firstIndex(where: { $0.id == id }) else { return nil }
            return remove(at: index, of: client)
        }

        mutating func remove(at index: Int, of client: Client) -> Waiting? {
            let check = waiting[client]?.remove(at: index)
            waitingCount -= 1
            if waiting[client]?.isEmpty == true {
                waiting[client] = nil
                turns.removeAll { $0 == client }
            }
            return check?.check
        }

        /// Replaces a check of the client that has the most, if that client has at least two more than this client.
        mutating func makeRoom(for client: Client) -> Waiting? {
            guard let (most, checks) = waiting.max(by: { $0.value.count < $1.value.count }),
                checks.count > (waiting[client]?.count ?? 0) + 1
            else { return nil }
            return remove(at: checks.count - 1, of: most)
        }
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
        limit = waiting ?? threads * 32
    }

    /// The number of password checks that are running or waiting.
    package var count: Int { state.withLock { $0.running + $0.waitingCount } }

    /// Runs a closure on a password thread, when it is the client's turn.
    ///
    /// The caller's task waits without blocking a thread.
    ///
    /// - Parameters:
    ///   - client: Whom it counts for.
    ///   - first: Called when it is the client's turn, before the slow work; for what a check that gets no turn must not do.
    ///   - work: The slow work.
    /// - Returns: The closure's result.
    /// - Throws: ``APIError`` with `passwords_busy` if the queue is full, with `unavailable` when the service stops; or the
    ///   closures' errors.
    package func perform<T: Sendable>(
        for client: Client,
        first: @Sendable () async throws -> Void = {},
        _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        let pool = try await turn(of: client)
        defer { leave() }
        try await first()
        do {
            return try await pool.runIfActive(work)
        } catch is CancellationError where !Task.isCancelled {
            throw APIError.stopping
        }
    }

    /// Waits for a turn.
    private func turn(of client: Client) async throws -> NIOThreadPool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(Waiting($0), id, of: client) }
        } onCancel: {
            state.withLock { $0.remove(id, of: client) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enter(_ check: Waiting, _ id: Int, of client: Client) {
        var refused: (check: Waiting, error: any Error)?
        let pool: NIOThreadPool? = state.withLock { state in
            guard !state.isStopped, !Task.isCancelled else {
                refused = (check, state.isStopped ? APIError.stopping : CancellationError())
                return nil
            }
            if state.running < threads {
                state.running += 1
                return state.startedPool(threads)
            }
            if state.waitingCount >= limit {
                guard let last = state.makeRoom(for: client) else {
                    refused = (check, APIError.passwordsBusy)
                    return nil
                }
                refused = (last, APIError.passwordsBusy)
            }
            state.append(check, id, of: client)
            return nil
        }
        if let pool { check.continuation.resume(returning: pool) }
        if let refused { refused.check.continuation.resume(throwing: refused.error) }
    }

    /// The turn goes to the next client.
    private func leave() {
        let next: (check: Waiting, pool: NIOThreadPool)? = state.withLock { state in
            guard let pool = state.pool, let check = state.next() else {
                state.running -= 1
                return nil
            }
            return (check, pool)
        }
        if let next { next.check.continuation.resume(returning: next.pool) }
    }

    /// Waits until the service stops, then ends the threads.
    package func run() async throws {
        try? await gracefulShutdown()
        let (pool, waiting) = state.withLock { state in
            state.isStopped = true
            var waiting: [Waiting] = []
            while let check = state.next() { waiting.append(check) }
            return (state.pool.take(), waiting)
        }
        for check in waiting { check.continuation.resume(throwing: APIError.stopping) }
        // The shutdown runs in a separate task, so that cancellation does not stop it.
        await Task { try? await pool?.shutdownGracefully() }.value
    }
}

extension APIError {
    fileprivate static let stopping = APIError(.unavailable, "The service is stopping. Try again later.")
    fileprivate static let passwordsBusy = APIError(
        .passwordsBusy,
        "Too many passwords are being checked; try again in a moment.",
        retryAfter: 2,
        limit: "password_queue"
    )
}
