import Crypto
import Synchronization
import Testing
import WardAuthenticator
import WardCOSE
import WardCTAP
import WardClient
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// The same authenticator as a security key shows itself: salts encrypted or not at all.
private struct SealedOnly<Inner: CTAPAuthenticator>: CTAPAuthenticator {
    let inner: Inner
    var hides: Set<CTAPExtensions.Identifier> = [.prf]
    var protocols: [PINUVAuthProtocol] = [.two, .one]
    let requests = RequestLog()

    final class RequestLog: Sendable { let assertions = Mutex<[GetAssertionRequest]>([]) }

    func info() async throws(CTAPStatus) -> AuthenticatorInfo {
        var info = try await inner.info()
        info.extensions.removeAll { hides.contains($0) }
        info.pinUVAuthProtocols = protocols
        return info
    }

    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse { try await inner.makeCredential(request, in: context) }

    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        requests.assertions.withLock { $0.append(request) }
        return try await inner.getAssertion(request, in: context)
    }

    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse {
        try await inner.getNextAssertion(in: context)
    }

    func selection(in context: CeremonyContext) async throws(CTAPStatus) { try await inner.selection(in: context) }

    func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse { try await inner.clientPIN(request, in: context) }
}

/// Somebody who says yes, and no to nothing.
private struct Yes: UserConsent {
    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        .agreed(ConsentAgreement(isPresent: true, isVerified: request.wantsVerification))
    }

    func permitsUpgrade(_ request: ConsentRequest) async -> Bool { true }
}

/// A service, a page, a client and a software authenticator, with nothing scripted between them.
@Suite struct `From the service's options to its verdict` {
    private let service = MemoryCredentialStore()
    private let origin = "https://login.example.com"

    private func relyingParty(_ policy: RelyingPartyPolicy = .init()) throws -> RelyingParty {
        try RelyingParty(id: "example.com", name: "Example", origins: [origin], policy: policy)
    }

    private func client(_ change: (inout AuthenticatorConfiguration) -> Void = { _ in }) -> WebAuthnClient<
        SoftwareAuthenticator<MemoryPasskeyStore, Yes>
    > {
        var configuration = AuthenticatorConfiguration()
        change(&configuration)
        let authenticator = SoftwareAuthenticator(
            store: MemoryPasskeyStore(),
            consent: Yes(),
            configuration: configuration
        )
        return WebAuthnClient(
            authenticator,
            ClientConfiguration(mayUpgrade: { _, _, _ in true }, offersAutofill: true)
        )
    }

    @Test(arguments: SoftwarePasskeyKey.algorithms, [AttestationConveyancePreference.none, .direct])
    func `a passkey is made and signs in`(
        algorithm: COSEAlgorithmIdentifier,
        attestation: AttestationConveyancePreference
    ) async throws {
        var policy = RelyingPartyPolicy()
        policy.algorithms = [algorithm]
        let relyingParty = try relyingParty(policy)
        let client = client()
        let caller = try Caller(origin: origin)
        let start = try await relyingParty.beginRegistration(for: ClientFixture.user, in: service)
        var options = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: start.options.json).options
        options.attestation = attestation
        options.attestationFormats = ["packed"]
        let made = try await client.create(options, from: caller)
        let verified = try await relyingParty.finishRegistration(start.ceremony, made.json, in: service)
        #expect(verified.credential.attestationFormat == (attestation == .none ? "none" : "packed"))

        let signIn = try await relyingParty.beginAuthentication(in: service)
        let request = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: signIn.options.json)
        #expect(request.repairs.isEmpty)
        let answer = try await client.get(request.options, from: caller)
        _ = try await relyingParty.finishAuthentication(signIn.ceremony, answer.json, in: service)

        // The account has a passkey here now, and the person agrees to say so.
        let again = try await relyingParty.beginRegistration(for: ClientFixture.user, in: service)
        let error = await ClientError.thrown { try await client.create(again.options, from: caller) }
        #expect(error?.code == .invalidState)
    }

    @Test func `an upgrade is taken by the service that asked for one`() async throws {
        let relyingParty = try relyingParty()
        var request = RegistrationRequest()
        request.mediation = .conditional
        let start = try await relyingParty.beginRegistration(for: ClientFixture.user, in: service, request: request)
        let client = client()
        let caller = try Caller(origin: origin)
        let made = try await client.create(start.options, from: caller, mediation: .conditional)
        _ = try await relyingParty.finishRegistration(start.ceremony, made.json, in: service)

        // It then signs in from the form's autofill.
        var autofill = AuthenticationRequest()
        autofill.mediation = .conditional
        let signIn = try await relyingParty.beginAuthentication(in: service, request: autofill)
        let answer = try await client.get(signIn.options, from: caller, mediation: .conditional)
        _ = try await relyingParty.finishAuthentication(signIn.ceremony, answer.json, in: service)
    }

    @Test func `prf and largeBlob go all the way and come back`() async throws {
        let relyingParty = try relyingParty()
        let client = client()
        let caller = try Caller(origin: origin)
        var request = RegistrationRequest()
        request.extensions.credProps = true
        request.extensions.prf = PRFInputs(eval: .init(first: Array("one".utf8)))
        request.extensions.largeBlob = LargeBlobInputs(support: .required)
        let start = try await relyingParty.beginRegistration(for: ClientFixture.user, in: service, request: request)
        let made = try await client.create(start.options, from: caller)
        _ = try await relyingParty.finishRegistration(start.ceremony, made.json, in: service)
        #expect(made.clientExtensionResults.isDiscoverable == true)
        #expect(made.clientExtensionResults.largeBlob?.supported == true)
        let atBirth = try #require(made.clientExtensionResults.prf)
        #expect(atBirth.enabled == true)

        func signIn(_ change: (inout AuthenticationRequest) -> Void) async throws -> AuthenticationResponse {
            var request = AuthenticationRequest()
            change(&request)
            let start = try await relyingParty.beginAuthentication(
                of: ClientFixture.user.id,
                in: service,
                request: request
            )
            let answer = try await client.get(start.options, from: caller)
            _ = try await relyingParty.finishAuthentication(start.ceremony, answer.json, in: service)
            return answer
        }
        let values = PRFInputs.Values(first: Array("one".utf8), second: Array("two".utf8))
        let both = try await signIn { $0.extensions.prf = PRFInputs(eval: values) }
        let results = try #require(both.clientExtensionResults.prf?.results)
        #expect(results.first.count == 32)
        #expect(results.second?.count == 32)
        #expect(results.first != results.second)
        if let first = atBirth.results?.first { #expect(first == results.first) }
        // The same function for a request that does not ask for verification: the client asks for it all the same.
        let byCredential = try await signIn {
            $0.userVerification = .required
            $0.extensions.prf = PRFInputs(evalByCredential: [made.id: .init(first: Array("two".utf8))])
        }
        #expect(byCredential.clientExtensionResults.prf?.results?.first == results.second)

        let written = try await signIn { $0.extensions.largeBlob = LargeBlobInputs(write: [1, 2, 3]) }
        #expect(written.clientExtensionResults.largeBlob?.written == true)
        let read = try await signIn { $0.extensions.largeBlob = LargeBlobInputs(read: true) }
        #expect(read.clientExtensionResults.largeBlob?.blob == [1, 2, 3])
    }

    @Test(arguments: [[PINUVAuthProtocol.two], [.one], [.init(rawValue: 9), .one]])
    func `prf gives the same over hmac-secret`(protocols: [PINUVAuthProtocol]) async throws {
        let inner = SoftwareAuthenticator(store: MemoryPasskeyStore(), consent: Yes())
        let key = SealedOnly(inner: inner, protocols: protocols)
        let caller = try Caller(origin: origin)
        let values = PRFInputs.Values(first: [1], second: [2])
        let made = try await WebAuthnClient(key).create(
            ClientFixture.creation { $0.extensions.prf = PRFInputs(eval: values) },
            from: caller
        )
        let atBirth = try #require(made.clientExtensionResults.prf)
        #expect(atBirth.enabled == true)
        // Two accounts, so that it matters which credential answers.
        let grace = PublicKeyCredentialUserEntity(id: UserHandle([9])!, name: "grace", displayName: "")
        let second = try await WebAuthnClient(key).create(
            ClientFixture.creation {
                $0.user = grace
                $0.extensions.prf = PRFInputs(eval: values)
            },
            from: caller
        )
        #expect(second.clientExtensionResults.prf?.results != atBirth.results)

        func results(_ client: WebAuthnClient<some CTAPAuthenticator>, _ inputs: PRFInputs, _ ids: [CredentialID])
            async throws -> PRFInputs.Values?
        {
            let request = ClientFixture.request {
                $0.extensions.prf = inputs
                $0.allowCredentials = ids.map { PublicKeyCredentialDescriptor(id: $0) }
                $0.userVerification = .discouraged
            }
            return try await client.get(request, from: caller).clientExtensionResults.prf?.results
        }
        let eval = PRFInputs(eval: values)
        let plain = try await results(WebAuthnClient(inner), eval, [made.id])
        #expect(plain?.first.count == 32)
        #expect(try await results(WebAuthnClient(key), eval, [made.id]) == plain)
        #expect(atBirth.results == plain)

        // By credential: which one will answer is found out beforehand, and it alone is asked then.
        let byCredential = PRFInputs(
            eval: .init(first: [7]),
            evalByCredential: [made.id: values, ClientFixture.otherID: .init(first: [8])]
        )
        key.requests.assertions.withLock { $0 = [] }
        #expect(try await results(WebAuthnClient(key), byCredential, [ClientFixture.otherID, made.id]) == plain)
        let asked = key.requests.assertions.withLock { $0 }
        #expect(asked.map(\.options.userPresence) == [false, nil])
        #expect(asked.last?.allowList.map(\.id) == [made.id])
        #expect(asked.last?.options.userVerification == true)
        #expect(asked.first?.clientDataHash != asked.last?.clientDataHash)
    }

    @Test func `an authenticator that agrees on no key gives no results, and signs in all the same`() async throws {
        let inner = SoftwareAuthenticator(store: MemoryPasskeyStore(), consent: Yes())
        let key = SealedOnly(inner: inner, protocols: [])
        let caller = try Caller(origin: origin)
        let eval = PRFInputs(eval: .init(first: [1]))
        let made = try await WebAuthnClient(key).create(
            ClientFixture.creation { $0.extensions.prf = eval },
            from: caller
        )
        #expect(made.clientExtensionResults.value.text == "{\"prf\":{\"enabled\":true}}")
        let got = try await WebAuthnClient(key).get(ClientFixture.request { $0.extensions.prf = eval }, from: caller)
        #expect(got.clientExtensionResults.value.text == "{\"prf\":{}}")
    }

    @Test func `what the client lets through from another origin the service refuses`() async throws {
        let relyingParty = try relyingParty()
        let start = try await relyingParty.beginRegistration(for: ClientFixture.user, in: service)
        let made = try await client().create(start.options, from: Caller(origin: "https://other.example.com"))
        let error = await #expect(throws: VerificationError.self) {
            try await relyingParty.finishRegistration(start.ceremony, made.json, in: self.service)
        }
        #expect(error?.code == .originNotAllowed)
    }
}
