internal import Synchronization
internal import WardAgentClient
internal import WardClient

/// Why the person could not be asked in an app's ceremony, which does not mean that they refused.
///
/// A ceremony ends in the same way for both, so that a page learns nothing. An app is told, so that it can tell its person.
final class PromptTrouble: Sendable {
    private let first = Mutex<AgentError?>(nil)

    /// Remembers an error that says that nobody could be asked; others are passed over.
    func note(_ error: AgentError) {
        guard [.promptMissing, .promptFailed, .tooManyAttempts].contains(error.code) else { return }
        first.withLock { $0 = $0 ?? error }
    }

    /// Runs a ceremony; its error is the one that was remembered, where there is one.
    func named<T>(_ ceremony: () async throws -> T) async throws -> T {
        do { return try await ceremony() } catch let error as ClientError { throw first.withLock { $0 } ?? error }
    }
}
