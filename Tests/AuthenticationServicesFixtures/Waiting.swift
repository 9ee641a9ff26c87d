internal import Synchronization

/// Something that happens once, which others may wait for.
package final class Event: Sendable {
    private let state = Mutex<(happened: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    package var happened: Bool { state.withLock { $0.happened } }

    package init() {}

    package func happen() {
        let waiting = state.withLock { state in
            state.happened = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let happened = state.withLock { state in
                if !state.happened { state.waiting.append(continuation) }
                return state.happened
            }
            if happened { continuation.resume() }
        }
    }
}

/// Waits until something is so.
package func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}

/// Waits as long as the task is not cancelled: a person who does not answer.
package func forever() async throws {
    while true { try await Task.sleep(for: .seconds(3_600)) }
}
