internal import WardAgentClient

extension AuthorizationRun {
    /// Checks that requests can be combined in one sheet.
    ///
    /// - Throws: ``ASAuthorizationError/failed`` that says what cannot be combined.
    static func check(_ requests: [PreparedRequest]) throws(ASAuthorizationError) {
        guard !requests.isEmpty else {
            throw ASAuthorizationError(.failed, "an authorization needs at least one request")
        }
        do { try RequestCombination.check(requests.map(\.request)) } catch { throw ASAuthorizationError(error) }
    }

    /// Asks the agent to answer one of the requests with one prompt.
    ///
    /// The sheet also offers the requests that this process answers itself.
    func ask(
        _ gateway: AgentGateway,
        _ appleID: (any AppleIDAuthorizing)?
    ) async throws(ASAuthorizationError) -> AuthorizationOutcome {
        // Leaves out requests that cannot be answered: a request for another account, if no issuer is configured.
        let offered = requests.indices.filter { requests[$0].request != nil || appleID != nil }
        let agents = offered.filter { requests[$0].request != nil }
        guard let first = offered.first else { throw .noIssuer }
        guard !agents.isEmpty else {
            // This process does not know whether the person has an account at the issuer, so this choice does not count as
            // immediately available.
            guard !prefersImmediatelyAvailable else {
                throw ASAuthorizationError(.canceled, "no credential for this app is immediately available")
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
            // If the agent has no credential, the person can still choose the sign-in with another account.
            guard !prefersImmediatelyAvailable, error.isNothingAvailable, offered.count > agents.count,
                let other = offered.first(where: { requests[$0].request == nil })
            else { throw error }
            return try await signIn(other, appleID)
        }
        guard offered.indices.contains(result.request) else {
            throw ASAuthorizationError(
                .invalidResponse,
                "the agent's answer does not match the request: update ward"
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
    /// A request in the form for a sheet that also has a request for a domain.
    ///
    /// Password requests are then limited to that domain, because an app that is not registered for any domain has no other
    /// passwords.
    func beside(_ domain: String?) -> AppRequest {
        var request = self
        if kind == .password { request.domain = self.domain ?? domain }
        return request
    }
}
