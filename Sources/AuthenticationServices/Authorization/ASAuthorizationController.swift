public import Foundation
internal import Synchronization

/// Performs requests: shows one sheet for all of them, or waits for a text field, and tells the delegate what came of it.
///
/// For each call of ``performRequests(options:)`` or ``performAutoFillAssistedRequests()`` the delegate gets exactly one call,
/// on the main actor. A controller that performs requests stays alive until then, also when nobody else holds it.
///
/// On Apple's platforms the system shows the sheet over the presentation anchor; here the agent does, in a window or on the
/// terminal of its own, and ``presentationContextProvider`` may be left out.
// Sendable, because everything that changes is behind a lock: the requests are read where they are performed, on the caller's
// own thread, and otherwise only given back to whoever asks.
open class ASAuthorizationController: NSObject, @unchecked Sendable {
    /// Options for the sheet.
    public struct RequestOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Takes bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Only what is on this machine: with nothing, the error is ``ASAuthorizationError/canceled`` at once, and nothing is
        /// shown.
        public static var preferImmediatelyAvailableCredentials: Self { Self(rawValue: 1) }
    }

    private struct State {
        var customMethods: [ASAuthorizationCustomMethod] = []
        var run: AuthorizationRun?
    }

    /// The requests.
    public let authorizationRequests: [ASAuthorizationRequest]
    private let state = Mutex(State())
    /// Guards the two below, whose methods are called on the main actor alone.
    private let references = NSLock()
    private nonisolated(unsafe) weak var delegateReference: (any ASAuthorizationControllerDelegate)?
    private nonisolated(unsafe) weak var contextReference: (any ASAuthorizationControllerPresentationContextProviding)?

    /// Takes requests: kinds may be mixed, but a registration only with registrations.
    public init(authorizationRequests: [ASAuthorizationRequest]) {
        self.authorizationRequests = authorizationRequests
        super.init()
    }

    /// Who gets the result.
    public var delegate: (any ASAuthorizationControllerDelegate)? {
        get { references.withLock { unsafe delegateReference } }
        set { references.withLock { unsafe delegateReference = newValue } }
    }

    /// Who gives the window; asked on the main actor, though the agent does not need it.
    public var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)? {
        get { references.withLock { unsafe contextReference } }
        set { references.withLock { unsafe contextReference = newValue } }
    }

    /// Other ways to sign in, on televisions; never offered here.
    public var customAuthorizationMethods: [ASAuthorizationCustomMethod] {
        get { state.withLock { $0.customMethods } }
        set { state.withLock { $0.customMethods = newValue } }
    }

    /// Shows the sheet.
    open func performRequests() { performRequests(options: []) }

    /// Shows the sheet.
    ///
    /// With nothing here that would answer, the error is ``ASAuthorizationError/canceled``, without the sheet: on Apple's
    /// platforms the sheet offers another device then, the person closes it, and the app gets the same.
    ///
    /// While the controller performs requests already, this call ends with ``ASAuthorizationError/failed``, and the earlier one
    /// goes on. On Apple's platforms that is so for all controllers of an app together; here several controllers may wait, and
    /// the agent asks the person one thing at a time.
    ///
    /// - Parameter options: How.
    open func performRequests(options: ASAuthorizationController.RequestOptions = []) {
        let gateway = AgentGateway.current
        let appleID = AppleIDAuthorization.current
        perform(options) { run in
            run.start { () throws(ASAuthorizationError) in
                if !run.requests.contains(where: \.isConditional) { await self.prepareAnchor() }
                return try await run.ask(gateway, appleID)
            }
        }
    }

    /// Waits, without showing anything, until the person picks a passkey or a password in a text field for user names.
    ///
    /// Of the requests, those for passkeys and passwords take part, and the others are left out. What is a text field is said by
    /// ``AutoFillTextField``. What is pending ends with the pick, with ``cancel()``, or with an error of the agent's after a
    /// pick; a person who closes the prompt after a pick may pick again.
    open func performAutoFillAssistedRequests() {
        let session = AutoFillSession.current
        perform([], then: { run in Task { @MainActor in session.remove(run) } }) { run in
            guard run.requests.contains(where: \.isAutoFillAssisted) else {
                return run.end(
                    .failure(
                        ASAuthorizationError(.failed, "a text field answers requests for passkeys and passwords only")
                    )
                )
            }
            Task { @MainActor in session.add(run) }
        }
    }

    /// Ends what is performed: the delegate gets ``ASAuthorizationError/canceled``, and an open prompt closes.
    ///
    /// When nothing is performed, nothing happens.
    open func cancel() {
        let run = state.withLock { $0.run }
        run?.end(.failure(ASAuthorizationError(.canceled, "the app cancelled the authorization")))
    }

    private func perform(
        _ options: RequestOptions,
        then onEnd: @escaping @Sendable (AuthorizationRun) -> Void = { _ in },
        _ begin: (AuthorizationRun) -> Void
    ) {
        let prepared: [PreparedRequest]
        do throws(ASAuthorizationError) {
            var requests: [PreparedRequest] = []
            for request in authorizationRequests { requests.append(try request.prepare()) }
            try AuthorizationRun.check(requests)
            prepared = requests
        } catch {
            return tell(.failure(error))
        }
        let run = AuthorizationRun(
            prepared,
            prefersImmediatelyAvailable: options.contains(.preferImmediatelyAvailableCredentials)
        ) { run, ending in
            self.state.withLock { if $0.run === run { $0.run = nil } }
            self.tell(ending)
            onEnd(run)
        }
        let isFree = state.withLock { state in
            guard state.run == nil else { return false }
            state.run = run
            return true
        }
        guard isFree else {
            return tell(.failure(ASAuthorizationError(.failed, "the controller performs its requests already")))
        }
        begin(run)
    }

    private func tell(_ ending: AuthorizationRun.Ending) {
        Task { @MainActor in
            switch ending {
            case .success(let outcome):
                let authorization = ASAuthorization(
                    provider: authorizationRequests[outcome.index].provider,
                    credential: outcome.credential
                )
                delegate?.authorizationController(controller: self, didCompleteWithAuthorization: authorization)
            case .failure(let error):
                delegate?.authorizationController(controller: self, didCompleteWithError: error)
            }
        }
    }

    @MainActor
    private func prepareAnchor() { _ = presentationContextProvider?.presentationAnchor(for: self) }
}
