/// One body at a time, in the order in which they came.
actor Turns {
    private var last: Task<Void, Never>?

    /// Runs a body after those that came before; a caller that is cancelled cancels its body, also while it waits.
    nonisolated func next<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = await enqueue(body)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func enqueue<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) -> Task<T, any Error> {
        let before = last
        let task = Task {
            await before?.value
            try Task.checkCancellation()
            return try await body()
        }
        last = Task { _ = try? await task.value }
        return task
    }
}
