import Foundation
import WardAgentClient

/// A call that waits for a sync, with a line that says how far the sync is.
struct SyncWaiting: Sendable {
    private static let step = Duration.milliseconds(500)

    /// A connection of its own, because the other one is busy with the call; `nil` if no line is shown.
    fileprivate let watcher: AgentClient?

    /// Makes a call.
    ///
    /// - Parameter call: The call.
    /// - Returns: What the call returns.
    /// - Throws: What the call throws.
    func during<T>(_ call: () async throws -> T) async throws -> T {
        guard let watcher else { return try await call() }
        let line = ProgressLine(isShown: true)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A line that does not come is no reason to fail.
                while (try? await Task.sleep(for: Self.step)) != nil {
                    if let progress = try? await watcher.call(SyncStatus()).progress {
                        line.say(SyncText.progress(progress))
                    }
                }
            }
            defer {
                group.cancelAll()
                line.end()
            }
            return try await call()
        }
    }
}

extension VaultChoice {
    /// Connects to the agent as ``withAgent(starts:creates:_:)`` does, for a call that waits for a sync.
    ///
    /// - Parameters:
    ///   - creates: Whether the vault may not exist yet.
    ///   - isQuiet: Whether no line is shown.
    ///   - body: The work with the connection.
    /// - Returns: What the body returns.
    /// - Throws: As ``withAgent(starts:creates:_:)``.
    func withAgentThatSyncs<T: Sendable>(
        creates: Bool = false,
        isQuiet: Bool,
        _ body: @escaping @Sendable (AgentClient, SyncWaiting) async throws -> T
    ) async throws -> T {
        guard isatty(STDERR_FILENO) == 1, !isQuiet else {
            return try await withAgent(creates: creates) { try await body($0, SyncWaiting(watcher: nil)) }
        }
        // Both are made before anything secret is in memory.
        return try await withAgent(creates: creates) { agent in
            try await withAgent(creates: creates) { try await body(agent, SyncWaiting(watcher: $0)) }
        }
    }
}
