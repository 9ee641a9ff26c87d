internal import WardAgentClient

/// A request as a value, taken when it is performed: what the app changes afterwards has no effect on it.
struct PreparedRequest: Sendable {
    /// Where it is answered.
    enum Destination: Sendable {
        /// By the agent.
        case agent(AppRequest)
        /// By whoever signs in with accounts from elsewhere, in this process.
        case appleID(AppleIDRequestValues)
    }

    /// Where it is answered.
    let destination: Destination
    /// Makes the credential of what the agent answered.
    let credential:
        @Sendable (AuthorizeApp.Result) throws(ASAuthorizationError) -> any ASAuthorizationCredential & Sendable

    init(
        _ request: AppRequest,
        credential:
            @escaping @Sendable (AuthorizeApp.Result) throws(ASAuthorizationError)
            -> any ASAuthorizationCredential & Sendable
    ) {
        destination = .agent(request)
        self.credential = credential
    }

    init(_ request: AppleIDRequestValues) {
        destination = .appleID(request)
        credential = { _ throws(ASAuthorizationError) in
            throw ASAuthorizationError(.invalidResponse, "the agent answered a request it does not answer")
        }
    }

    /// What the agent is asked for, if it is the one to ask.
    var request: AppRequest? { if case .agent(let request) = destination { request } else { nil } }

    /// Whether something new is made.
    var isRegistration: Bool {
        switch request?.kind {
        case .passkeyRegistration, .securityKeyRegistration, .accountCreation: true
        default: false
        }
    }
    /// Whether it must not be noticed.
    var isConditional: Bool { request?.mediation == "conditional" }
    /// Whether a text field can answer it.
    var isAutoFillAssisted: Bool {
        request?.kind == .passkeyAssertion || request?.kind == .password
    }
}

/// What an authorization came to: which request was answered, and how.
struct AuthorizationOutcome: Sendable {
    let index: Int
    let credential: any ASAuthorizationCredential & Sendable
}
