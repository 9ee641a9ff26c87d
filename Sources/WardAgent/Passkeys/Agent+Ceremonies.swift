internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardCTAP
internal import WardWebAuthn

extension Agent {
    func createPasskey(_ method: CreatePasskey, _ caller: AgentCaller) async throws -> CreatePasskey.Result {
        try await working {
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, caller)
            let client = try await client(method.authorization, caller, purpose: "make a passkey")
            let response = try await client.create(
                read.options,
                from: page,
                mediation: method.mediation.map { .init(rawValue: $0) } ?? .optional
            )
            return CreatePasskey.Result(
                response: String(decoding: response.json, as: UTF8.self),
                repairs: read.repairs.map(\.description)
            )
        }
    }

    func usePasskey(_ method: UsePasskey, _ caller: AgentCaller) async throws -> UsePasskey.Result {
        try await working {
            let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, caller)
            let client = try await client(method.authorization, caller, purpose: "sign in with a passkey")
            let response = try await client.get(
                read.options,
                from: page,
                mediation: method.mediation.map { .init(rawValue: $0) } ?? .optional
            )
            return UsePasskey.Result(
                response: String(decoding: response.json, as: UTF8.self),
                repairs: read.repairs.map(\.description)
            )
        }
    }

    private func page(
        _ origin: String,
        under topOrigin: String?,
        _ caller: AgentCaller
    ) throws(ClientError) -> Caller {
        var page = try Caller(origin: origin, topOrigin: topOrigin)
        page.program = CeremonyContext.Caller(name: caller.peer.description, processID: caller.peer.pid)
        return page
    }

    private func client(
        _ authorization: Authorization,
        _ caller: AgentCaller,
        purpose: String
    ) async throws -> WebAuthnClient<SoftwareAuthenticator<VaultCredentialStore, PromptingConsent>> {
        let vault = try await opened(authorization, caller, purpose: purpose)
        let consent = PromptingConsent(
            agent: self,
            vault: vault,
            authorization: authorization,
            caller: caller,
            // A page hears the same whatever goes wrong with its prompt.
            trouble: PromptTrouble()
        )
        let authenticator = SoftwareAuthenticator(
            store: VaultCredentialStore(vault: vault),
            consent: consent,
            effects: configuration.effects
        )
        // No upgrades: no method hands a password to a page, so that none was filled in there.
        return WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: .http()))
    }
}
