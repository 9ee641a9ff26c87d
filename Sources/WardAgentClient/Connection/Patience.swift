/// Runs a body for at most so long; then it is cancelled, and waited for until it has let go.
///
/// - Returns: What the body returned; `nil` when the time was over first.
package func within<T: Sendable>(
    _ limit: Duration,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T? {
    try await withThrowingTaskGroup(of: T?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit, clock: .continuous)
            return nil
        }
        defer { group.cancelAll() }
        let first = try await group.next() ?? nil
        try Task.checkCancellation()
        return first
    }
}
