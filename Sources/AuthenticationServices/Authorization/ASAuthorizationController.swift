public import Foundation
internal import Synchronization

/// Performs requests: it shows one sheet for all of them, or waits for a text field, and tells the delegate the result.
///
/// For each call of ``performRequests(options:)`` or ``performAutoFillAssistedRequests()`` the delegate gets exactly
/// one call, on the main actor. A controller stays alive until then, even if no other object holds it.
///
/// On Apple's platforms the system shows the sheet over the presentation anchor. Here the agent shows it in its own
/// window or on the terminal, and ``presentationContextProvider`` is optional.
// It is Sendable, because a lock guards all mutable state. The requests are read on the caller's thread when they are
// performed; otherwise they are only returned.
open class ASAuthorizationController: NSObject, @unchecked Sendable {
    /// Options for the sheet.
    public struct RequestOptions: OptionSet, Sendable {
        /// The option bits.
        public let rawValue: UInt
        /// Creates options from a bit mask.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Uses only credentials on this machine.
        ///
        /// If there are none, the error ``ASAuthorizationError/canceled`` comes at once, and no sheet is shown.
        public static var preferImmediatelyAvailableCredentials: Self { Self(rawValue: 1) }
    }

    private struct State {
        var customMethods: [ASAuthorizationCustomMethod] = []
        var run: AuthorizationRun?
    }

    /// The requests.
    public let authorizationRequests: [ASAuthorizationRequest]
    private let state = Mutex(State())
    /// Guards the two references below.
    ///
    /// The methods of both objects are called only on the main actor.
    private let references = NSLock()
    private nonisolated(unsafe) weak var delegateReference: (any ASAuthorizationControllerDelegate)?
    private nonisolated(unsafe) weak var contextReference: (any ASAuthorizationControllerPresentationContextProviding)?

    /// Creates a controller for requests.
    ///
    /// Different kinds can be combined, but a registration can be combined only with registrations.
    public init(authorizationRequests: [ASAuthorizationRequest]) {
        self.authorizationRequests = authorizationRequests
        super.init()
    }

    /// The object that gets the result.
    public var delegate: (any ASAuthorizationControllerDelegate)? {
        get { references.withLock { unsafe delegateReference } }
        set { references.withLock { unsafe delegateReference = newValue } }
    }

    /// Provides the window.
    ///
    /// Ward's agent does not need the window. But the method is called on the main actor, as on Apple's platforms.
    public var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)? {
        get { references.withLock { unsafe contextReference } }
        set { references.withLock { unsafe contextReference = newValue } }
    }

    /// Other ways to sign in, on tvOS.
    ///
    /// They are never offered on Linux.
    public var customAuthorizationMethods: [ASAuthorizationCustomMethod] {
        get { state.withLock { $0.customMethods } }
        set { state.withLock { $0.customMethods = newValue } }
    }

    /// Shows the sheet.
    open func performRequests() { performRequests(options: []) }

    /// Shows the sheet.
    ///
    /// Without a matching credential, the error is ``ASAuthorizationError/canceled``, without a sheet. On Apple's
    /// platforms the sheet then offers another device, the person closes it, and the app gets the same error.
    ///
    /// If the controller already performs requests, this call ends with ``ASAuthorizationError/failed``, and the
    /// earlier call goes on. On Apple's platforms this is true for all controllers of an app together. Here several
    /// controllers can wait, and the agent shows one prompt at a time.
    ///
    /// - Parameter options: Options for the sheet.
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

    /// Waits without a sheet until the person picks a passkey or a password in a text field for user names.
    ///
    /// Only requests for passkeys and passwords take part. ``AutoFillTextField`` describes a text field. The requests
    /// end with the pick, with ``cancel()``, or with an error of the agent after a pick. If the person closes the
    /// prompt after a pick, they can pick again.
    open func performAutoFillAssistedRequests() {
        let session = AutoFillSession.current
        perform([], then: { run in Task { @MainActor in session.remove(run) } }) { run in
            guard run.requests.contains(where: \.isAutoFillAssisted) else {
                return run.end(
                    .failure(
                        ASAuthorizationError(.failed, "AutoFill supports only requests for passkeys and passwords")
                    )
                )
            }
            Task { @MainActor in session.add(run) }
        }
    }

    /// Cancels the current requests: the delegate gets ``ASAuthorizationError/canceled``, and an open prompt closes.
    ///
    /// If no requests are in progress, the call has no effect.
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
            return tell(.failure(ASAuthorizationError(.failed, "this controller is already performing its requests")))
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
