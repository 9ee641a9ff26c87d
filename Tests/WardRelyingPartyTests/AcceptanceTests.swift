import Testing
import WardCBOR
import WardCOSE
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// What verification hands on once every check is passed: §7.1, steps 27 and 28, and §7.2, steps 22 to 24.
@Suite struct `What verification hands on` {
    @Test func `the record holds what the authenticator said`() throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.signCountStep = 3
        behaviour.isBackedUp = false
        behaviour.aaguid = try #require(AAGUID("cd8c395c-26ed-eede-653b-00797d03ca3c"))
        behaviour.transports = [.usb, "telepathy"]
        behaviour.attestation = .packedSelf
        var fixture = try RelyingPartyFixture(behaviour: behaviour) { $0.keepsAttestation = true }
        var request = RegistrationRequest()
        request.context = [1, 2, 3]
        let (ceremony, response) = try fixture.answerRegistration(request)
        let verified = try fixture.relyingParty.verify(response, for: ceremony)
        let made = try #require(fixture.authenticator.credentials.last)
        let record = verified.credential
        #expect(record.id == made.id && record.userHandle == fixture.user.id && record.rpID == "example.com")
        #expect(record.publicKey == made.key.publicKey.encoded && record.signCount == 3 && record.uvInitialized)
        #expect(record.transports == [.usb, "telepathy"] && record.backupEligible && !record.backedUp)
        #expect(record.aaguid == behaviour.aaguid && record.attestationFormat == "packed")
        #expect(
            record.attestationObject == response.attestationObject && record.clientDataJSON == response.clientDataJSON
        )
        #expect(
            verified.userPresent && verified.userVerified && verified.origin.description == RelyingPartyFixture.origin
        )
        #expect(verified.ceremony == ceremony && verified.ceremony.context == [1, 2, 3])
        #expect(verified.attestation.evidence == .selfAttestation && verified.attestation.trust == .selfAttestation)
        #expect(verified.authenticatorAttachment == .platform)
        #expect(record.descriptor.id == record.id && record.descriptor.transports == record.transports)
    }

    @Test func `attestation is not kept unless the policy says so`() throws {
        var fixture = try RelyingPartyFixture()
        let verified = try fixture.register()
        #expect(verified.credential.attestationObject == nil && verified.credential.clientDataJSON == nil)
        #expect(verified.attestation.format == "none" && verified.attestation.evidence == .none)
        #expect(verified.attestation.trust == .none)
    }

    @Test func `extension outputs nobody asked for are handed on and change nothing`() throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.authenticatorExtensions = CBORValue.of([("zeta", [1, true]), ("credProtect", 2)]).encoded()
        behaviour.clientExtensionResults["zeta"] = [1, nil]
        behaviour.clientExtensionResults["appid"] = true
        var fixture = try RelyingPartyFixture(behaviour: behaviour)
        let registration = try fixture.register()
        #expect(registration.authenticatorExtensions == behaviour.authenticatorExtensions)
        #expect(registration.clientExtensionResults == behaviour.clientExtensionResults)
        let authentication = try fixture.signIn(with: registration.credential)
        #expect(authentication.authenticatorExtensions == behaviour.authenticatorExtensions)
        #expect(authentication.clientExtensionResults == behaviour.clientExtensionResults)
    }

    @Test func `extensions that were asked for and not acted upon are not an error`() throws {
        var fixture = try RelyingPartyFixture()
        var request = RegistrationRequest()
        request.extensions["credProps"] = true
        let (options, _) = fixture.relyingParty.registrationOptions(for: fixture.user, request: request)
        #expect(options.extensions["credProps"] == true)
        #expect(try fixture.register(request).clientExtensionResults.members.isEmpty)
    }

    @Test func `the record changes in counter, backup state and nothing else`() throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.signCountStep = 2
        var fixture = try RelyingPartyFixture(behaviour: behaviour)
        var expected = try fixture.register().credential
        fixture.authenticator.behaviour.isBackedUp = false
        let verified = try fixture.signIn(with: expected)
        expected.signCount = 4
        expected.backedUp = false
        #expect(verified.credential == expected && verified.signals.isEmpty)
        #expect(verified.userVerified && verified.authenticatorAttachment == .platform)
    }

    @Test func `verification that was not there at registration is never made up for by a sign-in alone`() throws {
        var fixture = try RelyingPartyFixture { $0.userVerification = .preferred }
        fixture.authenticator.behaviour.isUserVerified = false
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isUserVerified = true
        let verified = try fixture.signIn(with: record)
        #expect(verified.userVerified && !verified.credential.uvInitialized && verified.signals.isEmpty)
    }

    @Test func `every algorithm the authenticator has signs in`() throws {
        for algorithm in [COSEAlgorithmIdentifier.es256, .edDSA] {
            var behaviour = VirtualAuthenticator.Behaviour()
            behaviour.algorithms = [algorithm]
            behaviour.attestation = .packedSelf
            var fixture = try RelyingPartyFixture(behaviour: behaviour)
            let record = try fixture.register().credential
            #expect(try COSEKey(record.publicKey).algorithm == algorithm)
            _ = try fixture.signIn(with: record)
        }
    }

    @Test func `client data in another form than browsers write is read all the same`() throws {
        var fixture = try RelyingPartyFixture()
        let forms: [@Sendable ([UInt8]) -> [UInt8]] = [
            { [0xef, 0xbb, 0xbf] + $0 },
            { $0.extended(",\"other_keys_can_be_added_here\":\"do not compare clientDataJSON against a template\"") },
            { $0.replacing(Array(",\"crossOrigin\":false".utf8), with: []) },
            { Array(" \n".utf8) + $0 + Array("\r\n".utf8) },
            { $0.replacing(Array("https://".utf8), with: Array("https:\\/\\/".utf8)) },
        ]
        for form in forms {
            fixture.authenticator.faults.clientDataJSON = form
            let registration = try fixture.register()
            #expect(registration.origin.description == RelyingPartyFixture.origin)
            #expect(try fixture.signIn(with: registration.credential).origin.description == RelyingPartyFixture.origin)
        }
    }

    @Test func `apps answer from their own kind of origin`() throws {
        let hash = "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 3, count: 32))
        for origin in [hash, "ios:bundle-id:com.example.app"] {
            var fixture = try RelyingPartyFixture(origins: [origin, RelyingPartyFixture.origin])
            let registration = try fixture.register()
            #expect(registration.origin.description == origin)
            #expect(try fixture.signIn(with: registration.credential).origin == registration.origin)
            fixture.authenticator.origin = "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 4, count: 32))
            #expect(refusal { _ = try fixture.register() } == refused(.originNotAllowed, .registration(9)))
        }
    }
}
