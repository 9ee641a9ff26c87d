import Testing
import WardCBOR
import WardRelyingParty
import WardTesting
import WardWebAuthn

@Suite struct `Framing` {
    private static let partner = "https://partner.example"

    private static func origins(_ texts: String...) throws -> Set<WebOrigin> {
        Set(try texts.map { try WebOrigin($0) })
    }

    /// What becomes of a registration and a sign-in under a policy, with client data as given.
    private func outcomes(
        _ framing: RelyingPartyPolicy.Framing,
        _ change: @escaping @Sendable (CollectedClientData) -> CollectedClientData
    ) throws -> [String] {
        var fixture = try RelyingPartyFixture { $0.framing = framing }
        let record = try fixture.register().credential
        fixture.authenticator.faults.clientData = change
        return [refusal { _ = try fixture.register() }, refusal { _ = try fixture.signIn(with: record) }]
    }

    private static let allowed = ["accepted", "accepted"]
    private static let noFrame = [
        refused(.crossOriginNotAllowed, .registration(10)), refused(.crossOriginNotAllowed, .authentication(13)),
    ]
    private static let notThere = [
        refused(.topOriginNotAllowed, .registration(11)), refused(.topOriginNotAllowed, .authentication(14)),
    ]

    @Test func `without a policy no frame is taken`() throws {
        #expect(try outcomes(.refused) { $0 } == Self.allowed)
        #expect(try outcomes(.refused) { $0.changed(crossOrigin: true) } == Self.noFrame)
        #expect(try outcomes(.refused) { $0.changed(crossOrigin: true, topOrigin: Self.partner) } == Self.noFrame)
        #expect(try outcomes(.refused) { $0.changed(topOrigin: Self.partner) } == Self.notThere)
    }

    @Test func `inside listed pages a frame is taken, and only where the client says so`() throws {
        let policy = RelyingPartyPolicy.Framing.allowed(in: try Self.origins(Self.partner))
        #expect(try outcomes(policy) { $0 } == Self.allowed)
        #expect(try outcomes(policy) { $0.changed(crossOrigin: true, topOrigin: Self.partner) } == Self.allowed)
        for top in [
            "https://other.example", "https://partner.example:8443", "http://partner.example",
            "https://partner.example/",
            "https://partner.example.evil.example", "https://evilpartner.example", "HTTPS://PARTNER.EXAMPLE", "null",
            "",
        ] {
            #expect(try outcomes(policy) { $0.changed(crossOrigin: true, topOrigin: top) } == Self.notThere, "\(top)")
        }
        #expect(try outcomes(policy) { $0.changed(crossOrigin: true) } == Self.notThere)
        // A top origin belongs to a frame; a client that names one without the other is wrong.
        #expect(try outcomes(policy) { $0.changed(topOrigin: Self.partner) } == Self.notThere)
        #expect(try outcomes(policy) { $0.changed(crossOrigin: .some(nil), topOrigin: Self.partner) } == Self.notThere)
    }

    @Test func `clients that do not name the frame are taken only where the policy says so`() throws {
        let policy = RelyingPartyPolicy.Framing.allowedWithoutTopOrigin(in: try Self.origins(Self.partner))
        #expect(try outcomes(policy) { $0.changed(crossOrigin: true) } == Self.allowed)
        #expect(try outcomes(policy) { $0.changed(crossOrigin: true, topOrigin: Self.partner) } == Self.allowed)
        #expect(
            try outcomes(policy) { $0.changed(crossOrigin: true, topOrigin: "https://other.example") } == Self.notThere
        )
    }
}

@Suite struct `Risk signals` {
    @Test func `a counter that does not grow is reported, and the highest one seen is kept`() throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.signCountStep = 1
        var fixture = try RelyingPartyFixture(behaviour: behaviour)
        var record = try fixture.register().credential
        record.signCount = 100
        let verified = try fixture.signIn(with: record)
        #expect(verified.signals == [.signCountRegressed(stored: 100, received: 2)])
        #expect(verified.signals.map(\.name) == ["sign_count_regressed"])
        #expect(verified.credential.signCount == 100)
        record.signCount = 3
        #expect(try fixture.signIn(with: record).signals == [.signCountRegressed(stored: 3, received: 3)])
    }

    @Test func `a counter that went back to zero is reported too`() throws {
        var fixture = try RelyingPartyFixture()
        var record = try fixture.register().credential
        #expect(try fixture.signIn(with: record).signals.isEmpty)
        record.signCount = 5
        #expect(try fixture.signIn(with: record).signals == [.signCountRegressed(stored: 5, received: 0)])
    }

    @Test func `a counter that begins to count is not a risk`() throws {
        var fixture = try RelyingPartyFixture { $0.signCountRegress = .refuse }
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.signCountStep = 1
        let verified = try fixture.signIn(with: record)
        #expect(verified.signals.isEmpty && verified.credential.signCount == 1)
    }

    @Test func `the highest counter is reached without overflow`() throws {
        var fixture = try RelyingPartyFixture { $0.signCountRegress = .refuse }
        var record = try fixture.register().credential
        record.signCount = .max - 1
        fixture.authenticator.behaviour.signCountStep = .max
        #expect(try fixture.signIn(with: record).credential.signCount == .max)
        record.signCount = .max
        #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.signCountRegressed, .authentication(22)))
    }

    @Test func `a change of backup eligibility is reported, and the new one kept`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        (fixture.authenticator.behaviour.isBackupEligible, fixture.authenticator.behaviour.isBackedUp) = (false, false)
        let verified = try fixture.signIn(with: record)
        #expect(verified.signals == [.backupEligibilityChanged(from: true, to: false)])
        #expect(verified.signals.map(\.name) == ["backup_eligibility_changed"])
        #expect(!verified.credential.backupEligible && !verified.credential.backedUp)
        #expect(try fixture.signIn(with: verified.credential).signals.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a credential that the policy no longer allows does not sign in`(isBackupEligible: Bool) throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        (behaviour.isBackupEligible, behaviour.isBackedUp) = (isBackupEligible, false)
        var before = try RelyingPartyFixture(behaviour: behaviour)
        let record = try before.register().credential
        #expect(throws: Never.self) { try before.signIn(with: record) }
        let allowed: RelyingPartyPolicy.BackupEligibility = isBackupEligible ? .deviceBoundOnly : .backupEligibleOnly
        var policy = RelyingPartyPolicy()
        policy.backupEligibleCredentials = allowed
        before.relyingParty = try RelyingParty(
            id: "example.com",
            name: "Example",
            origins: [RelyingPartyFixture.origin],
            policy: policy,
            effects: before.world.effects
        )
        #expect(
            refusal { _ = try before.signIn(with: record) } == refused(.authenticatorNotAllowed, .authentication(19))
        )
    }

    @Test func `a key that another library stored in another order signs in`() throws {
        var fixture = try RelyingPartyFixture()
        var record = try fixture.register().credential
        let pairs = try #require(try CBORValue.decode(record.publicKey).mapValue)
        record.publicKey =
            [0xa0 | UInt8(pairs.count)] + pairs.reversed().flatMap { $0.key.encoded() + $0.value.encoded() }
        #expect(try fixture.signIn(with: record).userVerified)
    }

    @Test func `a change of the backup state is no signal`() throws {
        var fixture = try RelyingPartyFixture { $0.backupEligibilityChange = .refuse }
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isBackedUp = false
        let verified = try fixture.signIn(with: record)
        #expect(verified.signals.isEmpty && !verified.credential.backedUp)
    }

    @Test func `bug class 37: verification that a finder could have set up is not believed`() throws {
        var fixture = try RelyingPartyFixture { $0.userVerification = .preferred }
        (fixture.authenticator.behaviour.isBackupEligible, fixture.authenticator.behaviour.isBackedUp) = (false, false)
        fixture.authenticator.behaviour.isUserVerified = false
        let record = try fixture.register().credential
        #expect(!record.uvInitialized && !record.backupEligible)
        fixture.authenticator.behaviour.isUserVerified = true
        let verified = try fixture.signIn(with: record)
        #expect(!verified.userVerified && verified.signals == [.userVerificationNotInitialized])
        #expect(verified.signals.map(\.name) == ["user_verification_not_initialized"])
        #expect(!verified.credential.uvInitialized)
        var sensitive = AuthenticationRequest()
        sensitive.userVerification = .required
        #expect(
            refusal { _ = try fixture.signIn(with: record, sensitive) }
                == refused(.userNotVerified, .authentication(17))
        )
        // A service that asked for another factor says so in the record.
        var authorized = record
        authorized.uvInitialized = true
        #expect(try fixture.signIn(with: authorized, sensitive).userVerified)
    }
}

@Suite struct `Attestation policies` {
    /// A judge that decides as it is told.
    struct Judge: AttestationJudge {
        let decide: @Sendable (AttestationEvidence) throws(AttestationRefusal) -> AttestationTrust

        func judge(
            _ evidence: AttestationEvidence,
            of statement: AttestationStatement,
            at now: Int64
        ) throws(AttestationRefusal) -> AttestationTrust {
            try decide(evidence)
        }
    }

    private func judged(
        _ attestation: VirtualAuthenticator.Attestation,
        _ decide: @escaping @Sendable (AttestationEvidence) throws(AttestationRefusal) -> AttestationTrust
    ) throws -> RelyingPartyFixture {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.attestation = attestation
        return try RelyingPartyFixture(behaviour: behaviour) {
            $0.attestation = AttestationPolicy(conveyance: .direct, judge: Judge(decide: decide))
        }
    }

    @Test func `bug class 16: where trust is asked for, neither none nor self attestation brings it`() throws {
        for attestation in [VirtualAuthenticator.Attestation.none, .packedSelf] {
            var fixture = try judged(attestation) { evidence throws(AttestationRefusal) in
                guard case .certificates = evidence else { throw AttestationRefusal(.notTrusted, "") }
                return .chain(to: [])
            }
            #expect(refusal { _ = try fixture.register() } == refused(.attestationNotTrusted, .registration(24)))
        }
    }

    static let reasons: [(AttestationRefusal.Reason, VerificationError.Code)] = [
        (.notTrusted, .attestationNotTrusted), (.formatNotAllowed, .attestationFormatNotAllowed),
        (.authenticatorNotAllowed, .authenticatorNotAllowed),
    ]

    @Test(arguments: reasons)
    func `each reason of a judge has its code`(
        reason: AttestationRefusal.Reason,
        code: VerificationError.Code
    ) throws {
        var fixture = try judged(.none) { _ throws(AttestationRefusal) in throw AttestationRefusal(reason, "") }
        #expect(refusal { _ = try fixture.register() } == refused(code, .registration(24)))
    }

    @Test func `a judge's trust is handed on`() throws {
        var fixture = try judged(.packedSelf) { evidence throws(AttestationRefusal) in
            evidence == .selfAttestation ? .chain(to: [7]) : .none
        }
        let attestation = try fixture.register().attestation
        #expect(attestation.trust == .chain(to: [7]) && attestation.evidence == .selfAttestation)
        #expect(attestation.format == "packed")
    }

    @Test func `an unknown format is carried as unverified and trusted by nobody`() throws {
        var fixture = try RelyingPartyFixture()
        fixture.authenticator.faults.attestationObject = { $0.replacing(Array("none".utf8), with: Array("nine".utf8)) }
        let verified = try fixture.register()
        #expect(verified.attestation.evidence == .unverified && verified.attestation.trust == .none)
        #expect(verified.attestation.format == "nine" && verified.credential.attestationFormat == "nine")
    }

    @Test func `formats are found by their very identifier, and a later one replaces an earlier`() {
        struct Other: AttestationFormat {
            let identifier = "none"
            func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
                .unverified
            }
        }
        #expect(AttestationFormats.basic.identifiers == ["none", "packed"])
        #expect(AttestationFormats.basic["None"] == nil && AttestationFormats.basic["tpm"] == nil)
        #expect(AttestationFormats([NoneAttestation(), Other()])["none"] is Other)
    }
}
