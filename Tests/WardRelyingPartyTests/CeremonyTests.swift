import Testing
import WardCBOR
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// What holds whatever the answer says: §7.1 and §7.2, steps 1 to 3, and §13.4.3.
@Suite struct `Ceremonies` {
    // MARK: In time, of this kind, for this RP ID

    @Test func `a registration answered a second before its time is over is accepted, and then no more`() throws {
        var fixture = try RelyingPartyFixture()
        let (ceremony, response) = try fixture.answerRegistration()
        #expect(ceremony.expiresAt == fixture.world.now + 300)
        fixture.world.advance(by: 299)
        #expect(refusal { _ = try fixture.relyingParty.verify(response, for: ceremony) } == "accepted")
        fixture.world.advance(by: 1)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony) }
                == refused(.challengeExpired, .registration(1))
        )
    }

    @Test func `a sign-in answered a second before its time is over is accepted, and then no more`() throws {
        var fixture = try RelyingPartyFixture { $0.ceremonyLifetime = 600 }
        let record = try fixture.register().credential
        let (ceremony, response) = try fixture.answerSignIn()
        fixture.world.advance(by: 599)
        #expect(refusal { _ = try fixture.relyingParty.verify(response, for: ceremony, record: record) } == "accepted")
        fixture.world.advance(by: 1)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony, record: record) }
                == refused(.challengeExpired, .authentication(1))
        )
    }

    @Test func `a ceremony is for one purpose and one RP ID`() throws {
        var fixture = try RelyingPartyFixture()
        let (registration, created) = try fixture.answerRegistration()
        let record = try fixture.relyingParty.verify(created, for: registration).credential
        let (authentication, asserted) = try fixture.answerSignIn()
        for ceremony in [
            registration.changed(kind: .authentication), registration.changed(rpID: "example.net"),
            registration.changed(rpID: "login.example.com"), registration.changed(user: .some(nil)),
        ] {
            #expect(
                refusal { _ = try fixture.relyingParty.verify(created, for: ceremony) }
                    == refused(.ceremonyMismatch, .registration(1))
            )
        }
        for ceremony in [
            authentication.changed(kind: .registration), authentication.changed(rpID: "example.net"),
        ] {
            #expect(
                refusal { _ = try fixture.relyingParty.verify(asserted, for: ceremony, record: record) }
                    == refused(.ceremonyMismatch, .authentication(1))
            )
        }
    }

    // MARK: Presence and verification

    @Test func `only an automatic upgrade does without presence, and it asks for no verification`() throws {
        var fixture = try RelyingPartyFixture()
        (fixture.authenticator.behaviour.isUserPresent, fixture.authenticator.behaviour.isUserVerified) = (false, false)
        var upgrade = RegistrationRequest()
        upgrade.mediation = .conditional
        let (ceremony, response) = try fixture.answerRegistration(upgrade)
        #expect(ceremony.isConditional && !ceremony.requiresUserVerification)
        let verified = try fixture.relyingParty.verify(response, for: ceremony)
        #expect(!verified.userPresent && !verified.userVerified && !verified.credential.uvInitialized)
        // The same answer to a ceremony that somebody was to be there for.
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony.changed(isConditional: false)) }
                == refused(.userNotPresent, .registration(15))
        )
    }

    @Test func `an automatic upgrade that itself insists on verification gets it`() throws {
        var fixture = try RelyingPartyFixture()
        (fixture.authenticator.behaviour.isUserPresent, fixture.authenticator.behaviour.isUserVerified) = (false, false)
        var upgrade = RegistrationRequest()
        upgrade.mediation = .conditional
        upgrade.userVerification = .required
        let (options, ceremony) = fixture.relyingParty.registrationOptions(for: fixture.user, request: upgrade)
        #expect(options.authenticatorSelection?.userVerification == .required && ceremony.requiresUserVerification)
        #expect(refusal { _ = try fixture.register(upgrade) } == refused(.userNotVerified, .registration(16)))
        fixture.authenticator.behaviour.isUserVerified = true
        #expect(refusal { _ = try fixture.register(upgrade) } == "accepted")
    }

    @Test func `a sign-in from autofill asks for presence as any other`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isUserPresent = false
        var autofill = AuthenticationRequest()
        autofill.mediation = .conditional
        #expect(
            refusal { _ = try fixture.signIn(with: record, autofill) } == refused(.userNotPresent, .authentication(16))
        )
    }

    @Test(arguments: [RelyingPartyPolicy.UserVerification.preferred, .discouraged])
    func `verification that was not required is neither asked for nor claimed`(
        requirement: RelyingPartyPolicy.UserVerification
    ) throws {
        var fixture = try RelyingPartyFixture { $0.userVerification = requirement }
        fixture.authenticator.behaviour.isUserVerified = false
        let registration = try fixture.register()
        #expect(!registration.userVerified && !registration.credential.uvInitialized)
        let authentication = try fixture.signIn(with: registration.credential)
        #expect(!authentication.userVerified && authentication.signals.isEmpty)
    }

    @Test func `a request may ask for more than the policy, and for less`() throws {
        var fixture = try RelyingPartyFixture { $0.userVerification = .preferred }
        fixture.authenticator.behaviour.isUserVerified = false
        var request = RegistrationRequest()
        request.userVerification = .required
        #expect(refusal { _ = try fixture.register(request) } == refused(.userNotVerified, .registration(16)))
        let record = try fixture.register().credential
        var sensitive = AuthenticationRequest()
        sensitive.userVerification = .required
        #expect(
            refusal { _ = try fixture.signIn(with: record, sensitive) }
                == refused(.userNotVerified, .authentication(17))
        )
    }

    @Test func `a request may ask for another attestation than the policy`() throws {
        let fixture = try RelyingPartyFixture()
        var request = RegistrationRequest()
        #expect(
            fixture.relyingParty.registrationOptions(for: fixture.user, request: request).options.attestation == "none"
        )
        request.attestation = .direct
        #expect(
            fixture.relyingParty.registrationOptions(for: fixture.user, request: request).options.attestation
                == "direct"
        )
    }

    // MARK: Bound origins

    @Test func `a ceremony bound to the origin that asked takes no other, listed or not`() throws {
        var fixture = try RelyingPartyFixture()
        var registration = RegistrationRequest()
        registration.boundOrigin = try Origin(RelyingPartyFixture.otherOrigin)
        #expect(refusal { _ = try fixture.register(registration) } == refused(.originNotAllowed, .registration(9)))
        registration.boundOrigin = try Origin(RelyingPartyFixture.origin)
        let verified = try fixture.register(registration)
        #expect(verified.origin.description == RelyingPartyFixture.origin)

        var authentication = AuthenticationRequest()
        authentication.boundOrigin = try Origin(RelyingPartyFixture.otherOrigin)
        #expect(
            refusal { _ = try fixture.signIn(with: verified.credential, authentication) }
                == refused(.originNotAllowed, .authentication(12))
        )
        // Also when the client writes its data in another form, which the full parser reads.
        fixture.authenticator.faults.clientDataJSON = { $0.extended(",\"x\":1") }
        #expect(
            refusal { _ = try fixture.signIn(with: verified.credential, authentication) }
                == refused(.originNotAllowed, .authentication(12))
        )
        authentication.boundOrigin = try Origin(RelyingPartyFixture.origin)
        #expect(refusal { _ = try fixture.signIn(with: verified.credential, authentication) } == "accepted")
    }

    // MARK: Who may answer

    @Test func `only a credential that was asked for answers`() throws {
        var fixture = try RelyingPartyFixture()
        let asked = try fixture.register().credential
        let other = try fixture.register().credential
        let (options, ceremony) = fixture.relyingParty.authenticationOptions(allowing: [asked.descriptor])
        var unlimited = options
        unlimited.allowCredentials = []
        let response = try fixture.authenticator.get(unlimited)
        #expect(response.id == other.id)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony, record: other) }
                == refused(.credentialNotAllowed, .authentication(5))
        )
        #expect(refusal { _ = try fixture.signIn(with: asked, allowing: [asked]) } == "accepted")
        #expect(refusal { _ = try fixture.signIn(with: other, allowing: [asked, other]) } == "accepted")
    }

    @Test func `where the account is known, the answer may leave it out but names no other`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let person = fixture.user.id
        #expect(refusal { _ = try fixture.signIn(with: record, allowing: [record], of: person) } == "accepted")
        fixture.authenticator.behaviour.returnsUserHandle = false
        #expect(refusal { _ = try fixture.signIn(with: record, allowing: [record], of: person) } == "accepted")
        fixture.authenticator.faults.authentication = { response in
            var response = response
            response.userHandle = RelyingPartyFixture.person(2).id
            return response
        }
        #expect(
            refusal { _ = try fixture.signIn(with: record, allowing: [record], of: person) }
                == refused(.userHandleMismatch, .authentication(6))
        )
    }

    @Test func `the account is named before any credential is looked up`() throws {
        var fixture = try RelyingPartyFixture()
        _ = try fixture.register()
        let (discoverable, response) = try fixture.answerSignIn()
        #expect(try fixture.relyingParty.user(of: response, for: discoverable) == fixture.user.id)
        let (known, _) = try fixture.answerSignIn(of: fixture.user.id)
        var silent = response
        silent.userHandle = nil
        #expect(try fixture.relyingParty.user(of: silent, for: known) == fixture.user.id)
        #expect(
            refusal { _ = try fixture.relyingParty.user(of: silent, for: discoverable) }
                == refused(.userHandleMissing, .authentication(6))
        )
    }

    // MARK: As stored

    @Test func `a stored ceremony comes back as it was`() throws {
        let fixture = try RelyingPartyFixture()
        var registration = RegistrationRequest()
        registration.boundOrigin = try Origin("ios:bundle-id:com.example.app")
        registration.context = [1, 2, 3]
        var authentication = AuthenticationRequest()
        authentication.extensions.appID = "https://example.com/u2f.json"
        authentication.mediation = .conditional
        let descriptors = (0..<3).compactMap { CredentialID([UInt8($0)]) }.map { PublicKeyCredentialDescriptor(id: $0) }
        let ceremonies = [
            fixture.relyingParty.registrationOptions(for: fixture.user).ceremony,
            fixture.relyingParty.registrationOptions(for: fixture.user, request: registration).ceremony,
            fixture.relyingParty.authenticationOptions().ceremony,
            fixture.relyingParty.authenticationOptions(
                allowing: descriptors,
                user: fixture.user.id,
                request: authentication
            ).ceremony,
        ]
        for ceremony in ceremonies {
            #expect(try Ceremony(encoded: ceremony.encoded) == ceremony)
            for end in 0..<ceremony.encoded.count {
                #expect(throws: WebAuthnError.self) { try Ceremony(encoded: Array(ceremony.encoded[..<end])) }
            }
        }
        #expect(ceremonies[3].appID == "https://example.com/u2f.json" && ceremonies[3].allowedCredentials.count == 3)
        #expect(throws: WebAuthnError(.malformedCeremony, "")) { try Ceremony(encoded: [0xa0]) }
    }

    @Test func `a stored ceremony damaged anywhere is refused or another one, never a trap`() throws {
        let fixture = try RelyingPartyFixture()
        let ceremony = fixture.relyingParty.registrationOptions(for: fixture.user).ceremony
        for damaged in Damage.everywhere(in: ceremony.encoded, masks: [0x01, 0x20, 0xff]) {
            _ = try? Ceremony(encoded: damaged)
        }
    }

    @Test func `a stored ceremony that lost or changed a field is refused and never read as a milder one`() throws {
        let fixture = try RelyingPartyFixture()
        var request = AuthenticationRequest()
        request.extensions.appID = "https://example.com/u2f.json"
        request.boundOrigin = try Origin(RelyingPartyFixture.origin)
        let allowed = [PublicKeyCredentialDescriptor(id: CredentialID([1])!)]
        let stored = [
            fixture.relyingParty.registrationOptions(for: fixture.user).ceremony.encoded,
            fixture.relyingParty.authenticationOptions(allowing: allowed, user: fixture.user.id, request: request)
                .ceremony.encoded,
        ]
        let optional: Set<Int64> = [8, 9, 10, 12]
        for encoded in stored {
            let pairs = try #require(try CBORValue.decode(encoded, rules: .webAuthn).mapValue)
            for (index, pair) in pairs.enumerated() {
                let key = try #require(pair.key.integerValue)
                var changed = pairs
                for wrong in [CBORValue.null, ["x"], .unsigned(.max), .negative(.max), .bytes([]), "x y"] {
                    changed[index].value = wrong
                    guard let read = try? Ceremony(encoded: CBORValue.map(changed).encoded()) else { continue }
                    // Texts and bytes of the service's own may hold anything; a requirement may not.
                    #expect([4, 12, 14].contains(key), "\(key): \(wrong), \(read.kind)")
                }
                changed.remove(at: index)
                if !optional.contains(key) {
                    #expect(throws: WebAuthnError.self, "\(key)") {
                        try Ceremony(encoded: CBORValue.map(changed).encoded())
                    }
                }
            }
        }
    }

    static let wrongFields: [(Int64, CBORValue)] = [
        (2, 0), (2, 3), (7, ["ES256"]), (7, [-7, .null]), (9, [.bytes([1]), "a"]), (9, [.bytes([1]), "a", "b", "c"]),
        (9, [.bytes([]), "a", "b"]), (11, [.bytes([1]), "AQ"]), (11, [.bytes([])]), (8, "http://example.com"),
    ]

    @Test(arguments: wrongFields)
    func `a field of the wrong shape is refused`(key: Int64, value: CBORValue) throws {
        let fixture = try RelyingPartyFixture()
        let encoded = fixture.relyingParty.registrationOptions(for: fixture.user).ceremony.encoded
        var pairs = try #require(try CBORValue.decode(encoded, rules: .webAuthn).mapValue)
        pairs.removeAll { $0.key.integerValue == key }
        pairs.append(CBORPair(key: .integer(key), value: value))
        #expect(throws: WebAuthnError.self) { try Ceremony(encoded: CBORValue.map(pairs).encoded()) }
    }

    @Test func `an account with many credentials can sign in`() throws {
        let fixture = try RelyingPartyFixture()
        let descriptors = (0..<5_000).compactMap { CredentialID([UInt8($0 >> 8), UInt8($0 & 0xff)]) }
            .map { PublicKeyCredentialDescriptor(id: $0) }
        let ceremony = fixture.relyingParty.authenticationOptions(allowing: descriptors).ceremony
        #expect(try Ceremony(encoded: ceremony.encoded).allowedCredentials.count == 5_000)
    }
}
