internal import Synchronization

/// One performance of requests, which ends exactly once: with an answer, an error or a cancellation, whichever is first.
final class AuthorizationRun: Sendable {
    typealias Ending = Result<AuthorizationOutcome, ASAuthorizationError>

    private struct State {
        var hasEnded = false
        var work: Task<Void, Never>?
    }

    /// The requests as they were when they were performed.
    let requests: [PreparedRequest]
    /// Whether only what is here may answer.
    let prefersImmediatelyAvailable: Bool
    private let state = Mutex(State())
    private let onEnd: @Sendable (AuthorizationRun, Ending) -> Void

    /// - Parameters:
    ///   - requests: The requests.
    ///   - prefersImmediatelyAvailable: Whether only what is here may answer.
    ///   - onEnd: Called exactly once, wherever the end comes from.
    init(
        _ requests: [PreparedRequest],
        prefersImmediatelyAvailable: Bool,
        onEnd: @escaping @Sendable (AuthorizationRun, Ending) -> Void
    ) {
        self.requests = requests
        self.prefersImmediatelyAvailable = prefersImmediatelyAvailable
        self.onEnd = onEnd
    }

    /// Whether the end came.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Ends the run, unless it ended before, and stops its work: a prompt that is open closes.
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

    /// Does something that ends the run, unless it ended before.
    func start(_ body: @escaping @Sendable () async throws(ASAuthorizationError) -> AuthorizationOutcome) {
        let work = Task {
            let ending: Ending
            do throws(ASAuthorizationError) { ending = .success(try await body()) } catch { ending = .failure(error) }
            end(ending)
        }
        adopt(work)
    }

    /// Has the end stop some work, at once when it came already.
    func adopt(_ work: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            if !state.hasEnded { state.work = work }
            return state.hasEnded
        }
        if isTooLate { work.cancel() }
    }
}
