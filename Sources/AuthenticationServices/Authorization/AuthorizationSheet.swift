internal import WardAgentClient

extension AuthorizationRun {
    /// Requests that go together in one sheet.
    ///
    /// - Throws: ``ASAuthorizationError/failed`` with what does not go together.
    static func check(_ requests: [PreparedRequest]) throws(ASAuthorizationError) {
        guard !requests.isEmpty else {
            throw ASAuthorizationError(.failed, "a controller needs at least one request")
        }
        let registrations = requests.filter(\.isRegistration)
        guard registrations.isEmpty || registrations.count == requests.count else {
            throw ASAuthorizationError(.failed, "a registration cannot be combined with requests to sign in")
        }
        guard requests.count == 1 || !requests.contains(where: \.isConditional) else {
            throw ASAuthorizationError(
                .failed,
                "a conditional registration is performed by itself: nothing is shown for it"
            )
        }
    }

    /// Asks the agent for one of the requests, in one question; what is answered in this process is offered there too.
    func ask(
        _ gateway: AgentGateway,
        _ appleID: (any AppleIDAuthorizing)?
    ) async throws(ASAuthorizationError) -> AuthorizationOutcome {
        // Kinds that have nothing to offer are left out: an account from elsewhere when no issuer is configured.
        let offered = requests.indices.filter { requests[$0].request != nil || appleID != nil }
        let agents = offered.filter { requests[$0].request != nil }
        guard let first = offered.first else { throw .noIssuer }
        guard !agents.isEmpty else {
            // Whether the person has such an account is not known here, so it is nothing that is here already.
            guard !prefersImmediatelyAvailable else {
                throw ASAuthorizationError(.canceled, "there is nothing here to sign in with at once")
            }
            return try await signIn(first, appleID)
        }
        let domain = agents.compactMap { requests[$0].request?.domain }.first
        let isSilent = agents.allSatisfy { requests[$0].isConditional }
        let question = AuthorizeApp(
            authorization: AppAuthorization(mayPrompt: !isSilent),
            requests: offered.map { (requests[$0].request ?? AppRequest(.otherAccount)).beside(domain) },
            prefersImmediatelyAvailable: prefersImmediatelyAvailable
        )
        let result: AuthorizeApp.Result
        do throws(ASAuthorizationError) {
            result = try await gateway.call(question)
        } catch {
            // An agent that has nothing and does not know of other accounts leaves those.
            guard !prefersImmediatelyAvailable, error.isNothingAvailable, offered.count > agents.count,
                let other = offered.first(where: { requests[$0].request == nil })
            else { throw error }
            return try await signIn(other, appleID)
        }
        guard offered.indices.contains(result.request) else {
            throw ASAuthorizationError(
                .invalidResponse,
                "the agent answered something else than was asked: update ward"
            )
        }
        let index = offered[result.request]
        guard requests[index].request != nil else { return try await signIn(index, appleID) }
        return AuthorizationOutcome(index: index, credential: try requests[index].credential(result))
    }

    private func signIn(
        _ index: Int,
        _ appleID: (any AppleIDAuthorizing)?
    ) async throws(ASAuthorizationError) -> AuthorizationOutcome {
        guard let appleID, case .appleID(let request) = requests[index].destination else { throw .noIssuer }
        let values = try await appleID.authorize(request)
        return AuthorizationOutcome(index: index, credential: ASAuthorizationAppleIDCredential(values))
    }
}

extension AppRequest {
    /// The request as it stands beside one for a domain: passwords are those of that domain then, because an app that is
    /// registered for no domain has no others.
    func beside(_ domain: String?) -> AppRequest {
        var request = self
        if kind == .password { request.domain = self.domain ?? domain }
        return request
    }
}
