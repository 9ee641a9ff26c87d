internal import WardAgentClient

/// A request as a value, copied when it is performed.
///
/// Changes that the app makes to the request later have no effect.
struct PreparedRequest: Sendable {
    /// Who answers a request.
    enum Destination: Sendable {
        /// The agent answers.
        case agent(AppRequest)
        /// This process answers the request, with a sign-in at the OpenID Connect issuer.
        case appleID(AppleIDRequestValues)
    }

    /// The part that answers the request: the agent or this process.
    let destination: Destination
    /// Makes the credential from the agent's answer.
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
            throw ASAuthorizationError(
                .invalidResponse,
                "the agent answered a request that it did not get: update ward"
            )
        }
    }

    /// The request for the agent, if the agent answers it.
    var request: AppRequest? { if case .agent(let request) = destination { request } else { nil } }

    /// Whether the request must not show a prompt.
    var isConditional: Bool { request?.mediation == .conditional }
    /// Whether a text field can answer it.
    var isAutoFillAssisted: Bool {
        request?.kind == .passkeyAssertion || request?.kind == .password
    }
}

/// The result of an authorization: the answered request and the answer.
struct AuthorizationOutcome: Sendable {
    let index: Int
    let credential: any ASAuthorizationCredential & Sendable
}
