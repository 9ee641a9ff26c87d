import Synchronization

/// Counts running calls, so that closing waits for them and refuses later calls.
final class Gate: Sendable {
    private struct State {
        var inside = 0
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enter() throws {
        try state.withLock { state in
            guard !state.isClosed else { throw DatabaseFailure(.unavailable, detail: "the store is closed") }
            state.inside += 1
        }
    }

    func leave() {
        let waiting = state.withLock { state in
            state.inside -= 1
            guard state.inside == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no call is running.
    ///
    /// The result is `true` only for the first caller.
    func close() async -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.inside > 0 { state.waiting.append(continuation) }
                return state.inside == 0
            }
            if isEmpty { continuation.resume() }
        }
        return isFirst
    }
}
