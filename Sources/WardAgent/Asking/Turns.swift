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
                state.withLock { state in
                    if Task.isCancelled {
                        go.resume(throwing: CancellationError())
                    } else if state.isTaken {
                        state.waiting.append(Waiting(number: number, goesFirst: goesFirst, go: go))
                    } else {
                        state.isTaken = true
                        go.resume()
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return }
                state.waiting.remove(at: index).go.resume(throwing: CancellationError())
            }
        }
    }

    private func leave() {
        state.withLock { state in
            guard let next = state.waiting.firstIndex(where: \.goesFirst) ?? state.waiting.indices.first else {
                state.isTaken = false
                return
            }
            state.waiting.remove(at: next).go.resume()
        }
    }
}
