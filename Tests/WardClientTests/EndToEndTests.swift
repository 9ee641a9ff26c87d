import Crypto
import Synchronization
import Testing
import WardAuthenticator
import WardCOSE
import WardCTAP
import WardClient
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// Passkeys in memory.
private final class Passkeys: WardAuthenticator.CredentialStore {
    private let kept = Mutex<[StoredCredential]>([])

    func credentials(
        for relyingPartyID: String,
        among ids: [CredentialID]?
    ) async throws(CredentialStoreError) -> [StoredCredential] {
        kept.withLock { $0 }.filter { $0.relyingPartyID == relyingPartyID && ids?.contains($0.id) ?? true }
    }

    func save(
        _ credential: StoredCredential,
        replacing replaced: [CredentialID]
    ) async throws(CredentialStoreError) {
        kept.withLock { kept in
            kept.removeAll { replaced.contains($0.id) }
            kept.append(credential)
        }
    }

    func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for relyingPartyID: String
    ) async throws(CredentialStoreError) {
        kept.withLock { kept in
            for index in kept.indices where kept[index].id == id { kept[index].largeBlob = largeBlob }
        }
    }
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
        SoftwareAuthenticator<Passkeys, Yes>
    > {
        var configuration = AuthenticatorConfiguration()
        change(&configuration)
        let authenticator = SoftwareAuthenticator(store: Passkeys(), consent: Yes(), configuration: configuration)
        return WebAuthnClient(
            authenticator,
            ClientConfiguration(mayUpgrade: { _, _, _ in true }, offersAutofill: true)
        )
    }

    @Test(arguments: [COSEAlgorithmIdentifier.es256, .edDSA], [AttestationConveyancePreference.none, .direct])
    func `a passkey is made and signs in`(
        algorithm: COSEAlgorithmIdentifier,
        attestation: AttestationConveyancePreference
    ) async throws {
        var policy = RelyingPartyPolicy()
        policy.algorithms = [algorithm]
        let relyingParty = try relyingParty(policy)
        let client = client()
        let caller = try Caller(origin: origin)
        let start = try await relyingParty.beginRegistration(for: Sound.user, in: service)
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
        let again = try await relyingParty.beginRegistration(for: Sound.user, in: service)
        let error = await ClientError.thrown { try await client.create(again.options, from: caller) }
        #expect(error?.code == .invalidState)
    }

    @Test func `an upgrade is taken by the service that asked for one`() async throws {
        let relyingParty = try relyingParty()
        var request = RegistrationRequest()
        request.mediation = .conditional
        let start = try await relyingParty.beginRegistration(for: Sound.user, in: service, request: request)
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
        let start = try await relyingParty.beginRegistration(for: Sound.user, in: service, request: request)
        let made = try await client.create(start.options, from: caller)
        _ = try await relyingParty.finishRegistration(start.ceremony, made.json, in: service)
        #expect(made.clientExtensionResults.isDiscoverable == true)
        #expect(made.clientExtensionResults.largeBlob?.supported == true)
        let atBirth = try #require(made.clientExtensionResults.prf)
        #expect(atBirth.enabled == true)

        func signIn(_ change: (inout AuthenticationRequest) -> Void) async throws -> AuthenticationResponse {
            var request = AuthenticationRequest()
            change(&request)
            let start = try await relyingParty.beginAuthentication(of: Sound.user.id, in: service, request: request)
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

    @Test func `what the client lets through from another origin the service refuses`() async throws {
        let relyingParty = try relyingParty()
        let start = try await relyingParty.beginRegistration(for: Sound.user, in: service)
        let made = try await client().create(start.options, from: Caller(origin: "https://other.example.com"))
        let error = await #expect(throws: VerificationError.self) {
            try await relyingParty.finishRegistration(start.ceremony, made.json, in: self.service)
        }
        #expect(error?.code == .originNotAllowed)
    }
}
