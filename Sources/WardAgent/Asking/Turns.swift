internal import Synchronization

/// Runs closures one at a time: first those with precedence, then the others, each group in the order of arrival.
final class Turns: Sendable {
    private struct Waiting {
        let number: Int
        let goesFirst: Bool
        let go: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isTaken = false
        var number = 0
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs a closure when no other closure is running.
    ///
    /// - Parameters:
    ///   - goesFirst: Whether it goes before those that do not.
    ///   - body: What has to be alone.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `CancellationError` when the task is cancelled while it waits.
    func next<T: Sendable>(goesFirst: Bool = false, _ body: () async throws -> T) async throws -> T {
        try await enter(goesFirst)
        defer { leave() }
        return try await body()
    }

    private func enter(_ goesFirst: Bool) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (go: CheckedContinuation<Void, any Error>) in
                let decided: Result<Void, any Error>? = state.withLock { state in
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .success(())
                    }
                    state.waiting.append(Waiting(number: number, goesFirst: goesFirst, go: go))
                    return nil
                }
                if let decided { go.resume(with: decided) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            waiting?.go.resume(throwing: CancellationError())
        }
    }

    /// The turn goes to the next one.
    ///
    /// A task is resumed outside the lock. Resuming waits while the task is being cancelled, and cancelling waits for the lock.
    private func leave() {
        let next = state.withLock { state -> Waiting? in
            guard let index = state.waiting.firstIndex(where: \.goesFirst) ?? state.waiting.indices.first else {
                state.isTaken = false
                return nil
            }
            return state.waiting.remove(at: index)
        }
        next?.go.resume()
    }
}
