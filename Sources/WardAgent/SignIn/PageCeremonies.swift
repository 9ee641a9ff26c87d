internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardCTAP
internal import WardWebAuthn

/// Passkeys for pages: what browsers and `ward passkey` ask for.
struct PageCeremonies: Sendable {
    let session: VaultSession
    let providers: Providers

    func createPasskey(_ method: CreatePasskey, _ program: ManagerProgram) async throws -> CreatePasskey.Result {
        try await session.working {
            guard !providers.settings.arePasskeysOff else { throw providers.passkeysOff }
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, program)
            let client = try await client(method.authorization, page, purpose: "make a passkey")
            let response = try await client.create(
                read.options,
                from: page.caller,
                mediation: method.mediation.map { .init(rawValue: $0) } ?? .optional
            )
            return CreatePasskey.Result(
                response: String(decoding: response.json, as: UTF8.self),
                repairs: read.repairs.map(\.description)
            )
        }
    }

    func usePasskey(_ method: UsePasskey, _ program: ManagerProgram) async throws -> UsePasskey.Result {
        try await session.working {
            guard !providers.settings.arePasskeysOff else { throw providers.passkeysOff }
            let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: Array(method.options.utf8))
            let page = try page(method.origin, under: method.topOrigin, program)
            let client = try await client(method.authorization, page, purpose: "sign in with a passkey")
            let response = try await client.get(
                read.options,
                from: page.caller,
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
        _ program: ManagerProgram
    ) throws(ClientError) -> PageProgram {
        var page = try Caller(origin: origin, topOrigin: topOrigin)
        page.program = CeremonyContext.Caller(name: program.peer.description, processID: program.peer.pid)
        return PageProgram(caller: page, browser: program)
    }

    private func client(
        _ authorization: Authorization,
        _ page: PageProgram,
        purpose: String
    ) async throws -> WebAuthnClient<SoftwareAuthenticator<VaultPasskeyStore, PromptingConsent>> {
        let vault = try await session.opened(authorization, .page(page), purpose: purpose)
        let consent = PromptingConsent(
            asking: session.asking,
            vault: vault,
            authorization: authorization,
            requester: .page(page),
            // A page hears the same whatever goes wrong with its prompt.
            trouble: PromptTrouble()
        )
        let authenticator = SoftwareAuthenticator(
            store: VaultPasskeyStore(vault: vault, effects: session.effects),
            consent: consent,
            effects: session.effects
        )
        // No upgrades: no method hands a password to a page, so that none was filled in there.
        return WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: .http()))
    }
}
