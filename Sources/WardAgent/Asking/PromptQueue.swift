/// One question at a time, because a person with two windows answers the wrong one; those of the manager's own programs first.
actor PromptQueue {
    private struct Waiting {
        let number: Int
        let go: CheckedContinuation<Void, any Error>
    }

    private var isOpen = false
    private var number = 0
    private var managers: [Waiting] = []
    private var apps: [Waiting] = []

    /// How many wait.
    var waiting: Int { managers.count + apps.count }

    /// Runs a body when its turn has come.
    ///
    /// - Parameters:
    ///   - isManager: Whether one of the manager's own programs asks.
    ///   - body: Asks the person.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `CancellationError` when the task is cancelled while it waits.
    nonisolated func exclusively<T: Sendable>(
        isManager: Bool,
        _ body: @Sendable () async throws -> T
    ) async throws -> T {
        try await enter(isManager)
        let result: Result<T, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await leave()
        return try result.get()
    }

    private func enter(_ isManager: Bool) async throws {
        try Task.checkCancellation()
        guard isOpen else {
            isOpen = true
            return
        }
        number += 1
        let number = number
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (go: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else {
                    go.resume(throwing: CancellationError())
                    return
                }
                if isManager {
                    managers.append(Waiting(number: number, go: go))
                } else {
                    apps.append(Waiting(number: number, go: go))
                }
            }
        } onCancel: {
            Task { await abandon(number) }
        }
    }

    private func leave() {
        if !managers.isEmpty {
            managers.removeFirst().go.resume()
        } else if !apps.isEmpty {
            apps.removeFirst().go.resume()
        } else {
            isOpen = false
        }
    }

    private func abandon(_ number: Int) {
        let all = managers + apps
        managers.removeAll { $0.number == number }
        apps.removeAll { $0.number == number }
        all.first { $0.number == number }?.go.resume(throwing: CancellationError())
    }
}
