import Testing
import WardCOSE
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// Every byte of a valid answer changed, left out and doubled, and every part cut at every length: always refused, or
/// accepted with the same facts where the byte carries no meaning; never a trap, never other facts.
@Suite struct `Damaged answers` {
    /// What a service learns from a registration, without what the client says unsigned.
    struct RegistrationFacts: Hashable {
        let record: CredentialRecord
        let attestation: VerifiedAttestation
        let origin: Origin
        let isPresent, isVerified: Bool
        let extensions: [UInt8]?

        init(_ verified: VerifiedRegistration) {
            var record = verified.credential
            record.transports = []
            self.record = record
            attestation = verified.attestation
            origin = verified.origin
            isPresent = verified.userPresent
            isVerified = verified.userVerified
            extensions = verified.authenticatorExtensions
        }
    }

    /// What a service learns from a sign-in, without what the client says unsigned.
    struct AuthenticationFacts: Hashable {
        let record: CredentialRecord
        let origin: Origin
        let isVerified: Bool
        let signals: [RiskSignal]
        let extensions: [UInt8]?

        init(_ verified: VerifiedAuthentication) {
            record = verified.credential
            origin = verified.origin
            isVerified = verified.userVerified
            signals = verified.signals
            extensions = verified.authenticatorExtensions
        }
    }

    /// A fixture whose authenticator signs its registrations.
    private func attested(_ attestation: VirtualAuthenticator.Attestation = .packedSelf) throws -> RelyingPartyFixture {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.attestation = attestation
        behaviour.signCountStep = 1
        return try RelyingPartyFixture(behaviour: behaviour) { $0.attestation.acceptsUnverifiedFormats = false }
    }

    // MARK: Registration

    @Test func `a self-attested registration is refused, whatever byte of it changed`() throws {
        var fixture = try attested()
        let (ceremony, response) = try fixture.answerRegistration()
        #expect(refusal { _ = try fixture.relyingParty.verify(response, for: ceremony) } == "accepted")
        for bytes in Damage.everywhere(in: response.clientDataJSON, masks: [0x01, 0x20]) {
            var damaged = response
            damaged.clientDataJSON = bytes
            expectRefused(bytes == response.clientDataJSON) { try fixture.relyingParty.verify(damaged, for: ceremony) }
        }
        for bytes in Damage.everywhere(in: response.attestationObject, masks: [0x01, 0x20, 0xff]) {
            var damaged = response
            damaged.attestationObject = bytes
            expectRefused(bytes == response.attestationObject) {
                try fixture.relyingParty.verify(damaged, for: ceremony)
            }
        }
    }

    @Test func `a registration that nothing attests keeps the account, the RP ID, the credential and its origin`()
        throws
    {
        var fixture = try attested(.none)
        let (ceremony, response) = try fixture.answerRegistration()
        let sound = try fixture.relyingParty.verify(response, for: ceremony)
        for bytes in Damage.everywhere(in: response.clientDataJSON, masks: [0x01, 0x20]) {
            var damaged = response
            damaged.clientDataJSON = bytes
            guard let verified = try? fixture.relyingParty.verify(damaged, for: ceremony) else { continue }
            #expect(RegistrationFacts(verified) == RegistrationFacts(sound))
        }
        for bytes in Damage.everywhere(in: response.attestationObject, masks: [0x01, 0x20, 0xff]) {
            var damaged = response
            damaged.attestationObject = bytes
            guard let verified = try? fixture.relyingParty.verify(damaged, for: ceremony) else { continue }
            // Nobody signs flags, counter, model and key; the rest is fixed by ceremony and answer.
            #expect(verified.credential.id == response.id && verified.credential.userHandle == fixture.user.id)
            #expect(verified.credential.rpID == "example.com" && verified.origin == sound.origin)
            #expect(verified.userPresent && verified.userVerified && verified.attestation == sound.attestation)
            #expect(try COSEKey(verified.credential.publicKey).algorithm == .es256)
        }
    }

    @Test func `a registration's text is refused or means the same, whatever byte of it changed`() throws {
        var fixture = try attested()
        let (ceremony, response) = try fixture.answerRegistration()
        let sound = RegistrationFacts(try fixture.relyingParty.verify(response, for: ceremony))
        let json = response.json
        for bytes in Damage.everywhere(in: json, masks: [0x01]) {
            guard let read = try? RegistrationResponse(json: bytes),
                let verified = try? fixture.relyingParty.verify(read, for: ceremony)
            else { continue }
            #expect(RegistrationFacts(verified) == sound)
        }
        for end in json.indices {
            #expect(throws: WebAuthnError.self) { try RegistrationResponse(json: Array(json[..<end])) }
        }
    }

    // MARK: Sign-in

    @Test func `a sign-in is refused, whatever byte of it changed`() throws {
        var fixture = try attested()
        let record = try fixture.register().credential
        let (ceremony, response) = try fixture.answerSignIn()
        let verify: (AuthenticationResponse) throws -> VerifiedAuthentication = {
            try fixture.relyingParty.verify($0, for: ceremony, record: record)
        }
        #expect(refusal { _ = try verify(response) } == "accepted")
        let parts: [WritableKeyPath<AuthenticationResponse, [UInt8]>] = [
            \.clientDataJSON, \.authenticatorData, \.signature,
        ]
        for part in parts {
            let whole = response[keyPath: part]
            for bytes in Damage.everywhere(in: whole, masks: [0x01, 0x20, 0xff]) {
                var damaged = response
                damaged[keyPath: part] = bytes
                expectRefused(bytes == whole) { try verify(damaged) }
            }
        }
        let handle = try #require(response.userHandle).bytes
        for bytes in Damage.everywhere(in: handle, masks: [0x01, 0x80]) where bytes != handle {
            var damaged = response
            // Sixty-five bytes are not a user handle, and none at all names nobody.
            damaged.userHandle = UserHandle(bytes)
            expectRefused(false) { try verify(damaged) }
        }
    }

    @Test func `a sign-in's text is refused or means the same, whatever byte of it changed`() throws {
        var fixture = try attested()
        let record = try fixture.register().credential
        let (ceremony, response) = try fixture.answerSignIn()
        let sound = AuthenticationFacts(try fixture.relyingParty.verify(response, for: ceremony, record: record))
        let json = response.json
        var accepted = 0
        for bytes in Damage.everywhere(in: json, masks: [0x01]) {
            guard let read = try? AuthenticationResponse(json: bytes),
                let verified = try? fixture.relyingParty.verify(read, for: ceremony, record: record)
            else { continue }
            accepted += 1
            #expect(AuthenticationFacts(verified) == sound)
        }
        // The attachment's letters, for one, mean nothing here.
        #expect(accepted > 0)
        for end in json.indices {
            #expect(throws: WebAuthnError.self) { try AuthenticationResponse(json: Array(json[..<end])) }
        }
    }

    /// Expects a refusal, unless the damage left the bytes as they were.
    private func expectRefused<Verified>(
        _ isWhole: Bool,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ verify: () throws -> Verified
    ) {
        let outcome = refusal { _ = try verify() }
        #expect((outcome == "accepted") == isWhole, sourceLocation: sourceLocation)
    }
}
