/// Runs a body with a time limit.
///
/// After the limit it is cancelled, and the call waits until it has ended.
///
/// - Returns: The body's result; `nil` if the limit came first.
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
