/// Runs a body with a time limit.
///
/// After the limit it is cancelled, and the call waits until it has ended.
///
/// - Parameters:
///   - limit: The time limit.
///   - sleep: How time passes.
///   - body: What is limited.
/// - Returns: The body's result; `nil` if the limit came first.
/// - Throws: What the body throws; `CancellationError`.
package func within<T: Sendable>(
    _ limit: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) },
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T? {
    try await withThrowingTaskGroup(of: T?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await sleep(limit)
            return nil
        }
        defer { group.cancelAll() }
        let first = try await group.next() ?? nil
        try Task.checkCancellation()
        return first
    }
}
