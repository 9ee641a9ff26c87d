/// One verification with fprintd, as a pure state machine: it takes events of the bus and returns actions.
///
/// [net.reactivated.Fprint.Device](https://fprint.freedesktop.org/fprintd-dev/Device.html)
struct FingerprintConversation {
    /// What happened.
    enum Event: Hashable, Sendable {
        /// The agent has claimed the device until it releases the device.
        case claimed
        /// The device waits for a finger.
        case started
        /// The signal `VerifyStatus`.
        case status(String, isDone: Bool)
        /// A method failed. The value is the name of the error.
        case failed(String)
        /// The fprintd service has ended or was restarted.
        case serviceGone
        /// The result is no longer needed.
        case cancelled
    }

    /// The next action.
    enum Action: Hashable, Sendable {
        case startVerification
        case wait
        /// Stop and release the device if necessary, and return the result.
        case finish(FingerprintResult, stops: Bool, releases: Bool)
    }

    private enum State {
        case claiming, starting, waiting, over
    }

    private var state = State.claiming

    mutating func handle(_ event: Event) -> Action {
        switch (state, event) {
        case (.over, _): return .wait
        case (.claiming, .claimed):
            state = .starting
            return .startVerification
        case (.starting, .started):
            state = .waiting
            return .wait
        case (.waiting, .status(let result, let isDone)): return status(result, isDone)
        // A signal for a program that had the device before.
        case (_, .status), (_, .claimed), (_, .started): return .wait
        case (_, .failed(let name)): return finish(.unavailable(FingerprintProblem(error: name)), isReachable: true)
        case (_, .serviceGone):
            return finish(.unavailable(.gone), isReachable: false)
        case (_, .cancelled): return finish(.cancelled, isReachable: true)
        }
    }

    private mutating func status(_ result: String, _ isDone: Bool) -> Action {
        switch result {
        case "verify-match": return finish(.match, isReachable: true)
        case "verify-no-match": return finish(.noMatch, isReachable: true)
        case "verify-disconnected":
            return finish(.unavailable(.gone), isReachable: false)
        // verify-retry-scan, verify-swipe-too-short, verify-finger-not-centered, verify-remove-and-retry: the verification
        // continues.
        default:
            guard isDone else { return .wait }
            return finish(.unavailable(.broken), isReachable: true)
        }
    }

    private mutating func finish(_ result: FingerprintResult, isReachable: Bool) -> Action {
        let (hasClaim, hasStart): (Bool, Bool) =
            switch state {
            case .claiming, .over: (false, false)
            case .starting: (true, false)
            case .waiting: (true, true)
            }
        state = .over
        return .finish(result, stops: hasStart && isReachable, releases: hasClaim && isReachable)
    }
}

extension FingerprintProblem {
    /// The meaning of an error of fprintd for the person.
    init(error name: String) {
        self =
            switch name.split(separator: ".").last.map(String.init) ?? "" {
            case "NoSuchDevice": .noReader
            case "AlreadyInUse": .inUse
            case "NoEnrolledPrints": .notEnrolled
            case "PermissionDenied": .notPermitted
            case "ServiceUnknown", "NameHasNoOwner", "Spawn": .notInstalled
            case "ClaimDevice", "NoReply", "UnknownObject": .gone
            default: .broken
            }
    }
}
