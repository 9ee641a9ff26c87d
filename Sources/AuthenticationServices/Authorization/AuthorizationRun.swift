internal import Synchronization

/// One call that performs requests.
///
/// It ends exactly once, with an answer, an error or a cancellation, whichever comes first.
final class AuthorizationRun: Sendable {
    typealias Ending = Result<AuthorizationOutcome, ASAuthorizationError>

    private struct State {
        var hasEnded = false
        var work: Task<Void, Never>?
    }

    /// The requests at the time of the call.
    let requests: [PreparedRequest]
    /// Whether only credentials on this machine may answer.
    let prefersImmediatelyAvailable: Bool
    private let state = Mutex(State())
    private let onEnd: @Sendable (AuthorizationRun, Ending) -> Void

    /// - Parameters:
    ///   - requests: The requests.
    ///   - prefersImmediatelyAvailable: Whether only credentials on this machine may answer.
    ///   - onEnd: Called exactly once, whatever the cause of the end.
    init(
        _ requests: [PreparedRequest],
        prefersImmediatelyAvailable: Bool,
        onEnd: @escaping @Sendable (AuthorizationRun, Ending) -> Void
    ) {
        self.requests = requests
        self.prefersImmediatelyAvailable = prefersImmediatelyAvailable
        self.onEnd = onEnd
    }

    /// Whether the run has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Ends the run once and stops its work.
    ///
    /// An open prompt is closed.
    func end(_ ending: Ending) {
        let (isFirst, work) = state.withLock { state in
            defer {
                state.hasEnded = true
                state.work = nil
            }
            return (!state.hasEnded, state.work)
        }
        guard isFirst else { return }
        work?.cancel()
        onEnd(self, ending)
    }

    /// Starts work whose result ends the run, unless the run has already ended.
    func start(_ body: @escaping @Sendable () async throws(ASAuthorizationError) -> AuthorizationOutcome) {
        let work = Task {
            let ending: Ending
            do throws(ASAuthorizationError) { ending = .success(try await body()) } catch { ending = .failure(error) }
            end(ending)
        }
        adopt(work)
    }

    /// Registers work that is cancelled when the run ends.
    ///
    /// If the run has already ended, the work is cancelled at once.
    func adopt(_ work: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            if !state.hasEnded { state.work = work }
            return state.hasEnded
        }
        if isTooLate { work.cancel() }
    }
}
