import Crypto
import Foundation
import Logging
import Testing
import WardAgentClient
import WardCOSE
import WardCTAP
import WardText
import WardWebAuthn

@testable import WardAgent

/// Another manager with a passkey whose public key this agent does not know, so that the service alone checks its signatures.
@Suite(.agents, .timeLimit(.minutes(15))) struct `Another manager as an authenticator` {
    private let hash = [UInt8](repeating: 1, count: 32)

    private func with(
        _ body: (SignInFixture, ScriptedManager, SocketProvider, ProviderEntry) async throws -> Void
    ) async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        _ = try await fixture.ask(fixture.registration().request)
        let paths = fixture.agent.agent.configuration.providers
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let connections = ProviderConnections(
            listing: .seconds(600),
            use: .seconds(600),
            joining: {},
            sleep: { try await Task.sleep(for: $0) },
            keys: ProviderKeys(path: fixture.agent.folder + "/no-keys"),
            proofs: ProviderProofs(folder: paths.proofs, effects: .live),
            starts: ProviderStarts(now: { .now }, sleep: { try await Task.sleep(for: $0) }),
            index: ProviderIndex(now: { .now }),
            logger: logger
        )
        let providers = Providers(paths: paths, connections: connections, logger: logger)
        let provider = try #require(providers.others.first)
        let listed = try await provider.entries(ProviderQuery(domains: [SignInFixture.domain], kinds: [.passkey]))
        try await body(fixture, manager, provider, try #require(listed.entries.first))
        try await manager.end()
        try await fixture.close()
    }

    private func authenticator(
        _ fixture: SignInFixture,
        _ provider: SocketProvider,
        _ entry: ProviderEntry?,
        upgrading user: String? = nil
    ) -> SocketAuthenticator {
        let session = fixture.agent.agent.session
        let app = SignInFixture.app("Shiny")
        let upgrade = user.map { user in
            HandedOutPassword(
                recipient: .app(app),
                provider: provider.identifier,
                reference: "0",
                domain: SignInFixture.domain,
                user: user
            )
        }
        let consent = PromptingConsent(
            asking: session.asking,
            vault: nil,
            authorization: Authorization(),
            requester: .app(AppProgram(identity: app, pid: getpid())),
            trouble: PromptTrouble(),
            quick: session.quick,
            proof: CeremonyProof(),
            sheet: PromptingConsent.Sheet(
                introduction: [],
                appName: "Shiny",
                manager: provider.name,
                managerVerifies: false,
                isConfirmed: false,
                upgrade: upgrade.map { .password($0) }
            )
        )
        return SocketAuthenticator(provider: provider, entry: entry, consent: consent)
    }

    private func use(
        among ids: [CredentialID] = [],
        userPresence: Bool? = nil
    ) -> GetAssertionRequest {
        GetAssertionRequest(
            rpID: SignInFixture.domain,
            clientDataHash: hash,
            allowList: ids.map { PublicKeyCredentialDescriptor(id: $0) },
            options: CTAPRequestOptions(userPresence: userPresence)
        )
    }

    @Test func `signs after a yes, and only with the passkey that was picked`() async throws {
        try await with { fixture, manager, provider, entry in
            let (asked, seen) = (fixture.person.asked.count, manager.seen.count)
            for request in [use(among: [CredentialID([9])!]), use(userPresence: false)] {
                await #expect(throws: CTAPStatus.noCredentials) {
                    try await authenticator(fixture, provider, entry).getAssertion(request, in: CeremonyContext())
                }
            }
            #expect(fixture.person.asked.count == asked && manager.seen.count == seen)
            fixture.person.will(.agreed)
            let answer = try await authenticator(fixture, provider, entry)
                .getAssertion(use(), in: CeremonyContext())
            #expect(!answer.signature.isEmpty)
        }
    }

    @Test func `sends no signature that is empty or long, and no new credential`() async throws {
        try await with { fixture, manager, provider, entry in
            let data = AuthenticatorData.assemble(
                rpIDHash: Array(SHA256.hash(data: Array(SignInFixture.domain.utf8))),
                flags: .userPresent,
                signCount: 0,
                credential: (.zero, [9], try COSEPrivateKey.generate().publicKey.encoded)
            )
            let long = [UInt8](repeating: 7, count: SocketAuthenticator.maximumSignature + 1)
            for (member, bytes) in [("signature", []), ("signature", long), ("authenticatorData", data)] {
                manager.will(.change(member, .string(Base64URL.encode(bytes))), at: "provider.assertion")
                fixture.person.will(.agreed)
                let authenticator = authenticator(fixture, provider, entry)
                await #expect(throws: CTAPStatus.operationDenied, "\(member)") {
                    try await authenticator.getAssertion(use(), in: CeremonyContext())
                }
                #expect(authenticator.fault.error?.code == .providerFailed)
            }
        }
    }

    @Test
    func `makes a passkey without a question only for the account that signed in, and not beside an excluded one`()
        async throws
    {
        try await with { fixture, manager, provider, entry in
            func make(_ user: String, upgrading: String?, excluding ids: [CredentialID] = []) async throws -> Bool {
                let request = MakeCredentialRequest(
                    clientDataHash: hash,
                    relyingParty: CTAPRelyingPartyEntity(id: SignInFixture.domain),
                    user: CTAPUserEntity(id: UserHandle(Array("user-\(user)".utf8))!, name: user),
                    pubKeyCredParams: [PublicKeyCredentialParameters(.es256)],
                    excludeList: ids.map { PublicKeyCredentialDescriptor(id: $0) }
                )
                do {
                    _ = try await authenticator(fixture, provider, nil, upgrading: upgrading)
                        .makeCredential(request, in: CeremonyContext(isConditional: true))
                    return true
                } catch {
                    #expect(error == .operationDenied)
                    return false
                }
            }
            let known = try #require(entry.credentialID)
            #expect(try await !make("bob", upgrading: nil))
            #expect(try await !make("bob", upgrading: "eve"))
            #expect(try await !make("bob", upgrading: "bob", excluding: [known]))
            #expect(manager.seen.count { $0 == "provider.registration" } == 1)
            #expect(try await make("bob", upgrading: "bob"))
        }
    }
}
