internal import WardAgentClient
internal import WardClient
internal import WardCTAP
internal import WardWebAuthn

/// Passkeys for pages: the requests of browsers and of `ward passkey`.
struct PageSignIn: Sendable {
    let parts: SignInParts

    func createPasskey(_ method: CreatePasskey, _ program: ManagerProgram) async throws -> CreatePasskey.Result {
        try await parts.session.working {
            try checkPasskeysAreOn()
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, program)
            let response = try await perform(
                .registration(read.options, nil),
                page,
                method.authorization,
                method.mediation
            )
            return CreatePasskey.Result(response: response, repairs: read.repairs.map(\.description))
        }
    }

    func usePasskey(_ method: UsePasskey, _ program: ManagerProgram) async throws -> UsePasskey.Result {
        try await parts.session.working {
            try checkPasskeysAreOn()
            let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, program)
            let response = try await perform(.assertion(read.options), page, method.authorization, method.mediation)
            return UsePasskey.Result(response: response, repairs: read.repairs.map(\.description))
        }
    }

    /// The request of a page, whose origin a program of the desktop reports.
    ///
    /// The person may be asked.
    ///
    /// - Returns: The response as JSON.
    func ask(_ subject: SignInRequest.Wanted.Subject, _ page: PageProgram) async throws -> String {
        try checkPasskeysAreOn()
        return try await perform(subject, page, Authorization(), nil)
    }

    /// If passkeys are switched off, a page is refused before its options are read.
    func checkPasskeysAreOn() throws(AgentError) {
        guard !parts.providers.settings.arePasskeysOff else { throw parts.providers.passkeysOff }
    }

    private func page(
        _ origin: String,
        under topOrigin: String?,
        _ program: ManagerProgram
    ) throws(ClientError) -> PageProgram {
        var page = try Caller(origin: origin, topOrigin: topOrigin)
        page.program = CeremonyContext.Caller(name: program.peer.description, processID: program.peer.pid)
        return PageProgram(caller: page, peer: program.peer, place: program.place)
    }

    private func perform(
        _ subject: SignInRequest.Wanted.Subject,
        _ page: PageProgram,
        _ authorization: Authorization,
        _ mediation: Mediation?
    ) async throws -> String {
        var request = SignInRequest(
            requester: .page(page),
            requests: [SignInRequest.Wanted(index: 0, subject: subject, domains: [])]
        )
        request.authorization = authorization
        request.mediation = mediation.map { .init(rawValue: $0.rawValue) }
        try await lookEverywhere(&request, page)
        guard request.asksAllProviders else {
            return try await SignInRunner(parts: parts, request: request).run().response ?? ""
        }
        return try await response(to: request)
    }

    /// The response for a page.
    ///
    /// The page gets the same error for every problem with its prompt.
    func response(to request: SignInRequest) async throws -> String {
        do {
            return try await SignInRunner(parts: parts, request: request).run().response ?? ""
        } catch let error as ClientError {
            throw error
        } catch let error as AgentError where error.code == .matchedExcluded {
            throw ClientError(.invalidState, "the account already has a passkey on this device")
        } catch let error as AgentError where Self.isOfOneManager(error) {
            parts.providers.note(ProviderListing(failure: error))
            throw ClientError.notAllowed(.authenticator)
        } catch is PromptRefusal {
            throw ClientError.notAllowed(.denied)
        }
    }

    /// Whether an error is about a credential manager, or about the person's answer to it.
    ///
    /// A page does not learn which.
    private static func isOfOneManager(_ error: AgentError) -> Bool {
        [.providerFailed, .nothingAvailable, .denied, .promptMissing, .promptFailed].contains(error.code)
    }

    /// Asks all providers, if there are other providers and the person can be asked to choose one.
    ///
    /// If a request has a passphrase, the vault answers it without a prompt.
    func lookEverywhere(_ request: inout SignInRequest, _ page: PageProgram) async throws {
        let others = parts.providers.others.filter { $0.capabilities.contains(.passkeys) }
        guard !others.isEmpty, request.authorization.mayPrompt, request.authorization.passphrase == nil,
            [nil, .optional, .required].contains(request.mediation)
        else { return }
        let requested = SignInRequest.domain(of: request.requests[0].subject)
        // The page's right to the RP ID is checked before any provider is asked.
        let client = ClientConfiguration(relatedOrigins: .http)
        request.requests[0].domains = [try await client.rpID(requested, for: page.caller)]
        request.asksAllProviders = true
    }
}
