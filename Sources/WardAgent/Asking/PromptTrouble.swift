internal import Synchronization
internal import WardAgentClient
internal import WardClient

/// Why a prompt for an app could not be shown.
///
/// That does not mean that the person declined.
///
/// In both cases the ceremony ends in the same way, so that a page learns nothing. An app gets the reason, so that it can tell
/// the person.
final class PromptTrouble: Sendable {
    private let first = Mutex<AgentError?>(nil)

    /// Records an error if it means that no prompt could be shown.
    ///
    /// Other errors are ignored.
    func note(_ error: AgentError) {
        guard [.promptMissing, .promptFailed, .tooManyAttempts].contains(error.code) else { return }
        first.withLock { $0 = $0 ?? error }
    }

    /// Runs a ceremony.
    ///
    /// If it fails and an error was recorded, the recorded error is thrown instead.
    func named<T>(_ ceremony: () async throws -> T) async throws -> T {
        do { return try await ceremony() } catch let error as ClientError { throw first.withLock { $0 } ?? error }
    }
}
