internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty
internal import WardWebAuthn

/// A statement made of two: a packed one with a certificate, and one by the credential itself.
struct CompoundDraft: Draft {
    var fixture = AttestationFixture()
    var packed = PackedDraft()
    var parts: @Sendable ([CBORValue]) -> CBORValue = { .array($0) }

    private static func part(_ published: Published) throws -> CBORValue {
        let object = try published.object
        return ["fmt": .text(object.format), "attStmt": try CBORValue.decode(object.statement, rules: .webAuthn)]
    }

    func publish() throws -> Published {
        var (packed, own) = (packed, SelfDraft())
        packed.fixture = fixture
        own.fixture = fixture
        return try fixture.publish("compound", parts([Self.part(packed.publish()), Self.part(own.publish())]))
    }

    static let rejections: [Rejection<CompoundDraft>] = [
        .init(.compoundSyntax, "one", "fewer than two") { $0.parts = { [$0[0]] } },
        .init(.compoundSyntax, "none", "fewer than two") { $0.parts = { _ in [] } },
        .init(.compoundSyntax, "nine", "more than 8") {
            $0.parts = { .array([CBORValue](repeating: $0[1], count: 9)) }
        },
        .init(.compoundSyntax, "as a map", "syntax") { $0.parts = { $0[0] } },
        .init(.compoundSyntax, "one of them without fmt", "missing") {
            $0.parts = { .array($0 + [["attStmt": [:]]]) }
        },
        .init(.compoundSyntax, "one of them without attStmt", "missing") {
            $0.parts = { .array($0 + [["fmt": "none"]]) }
        },
        .init(.compoundSyntax, "with a third member", "unknown member") {
            $0.parts = { .array($0 + [["fmt": "none", "attStmt": [:], "x": 1]]) }
        },
        .init(.compoundSyntax, "with fmt as bytes", "syntax") {
            $0.parts = { .array($0 + [["fmt": .bytes([1]), "attStmt": [:]]]) }
        },
        // Bug class 41.
        .init(.compoundSyntax, "with a compound one inside", "inside another") {
            $0.parts = { .array($0 + [["fmt": "compound", "attStmt": .array($0)]]) }
        },
        .init(.compoundParts, "of which the second does not hold", "") {
            $0.parts = { [$0[0], ["fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes([1])]]] }
        },
    ]
}

@Suite struct `Compound attestation` {
    @Test
    func `it keeps its own name and says what every part proved`() throws {
        let attestation = try CompoundDraft().publish().verify().attestation
        // Bug class 41: some libraries answer "none".
        #expect(attestation.format == "compound")
        guard case .compound(let parts) = attestation.evidence else {
            Issue.record("\(attestation.evidence)")
            return
        }
        #expect(parts.map(\.format) == ["packed", "packed"])
        #expect(parts.last?.evidence == .selfAttestation)
        guard case .certificates = parts.first?.evidence else {
            Issue.record("\(parts)")
            return
        }
        #expect(attestation.trust == .notAssessed)
    }

    @Test
    func `the best part decides how far it is trusted`() throws {
        let published = try CompoundDraft().publish()
        #expect(
            try published.verify(judge: AttestationFixture.judge).attestation.trust
                == .chain(to: AttestationFixture.rootCertificate.get())
        )
        var requirements = try AttestationFixture.judge
        requirements.formats = ["tpm"]
        let error = #expect(throws: VerificationError.self) { try published.verify(judge: requirements) }
        #expect(error?.code == .attestationFormatNotAllowed)
    }

    @Test
    func `two statements that claim nothing prove nothing`() throws {
        var draft = CompoundDraft()
        draft.parts = { _ in [["fmt": "none", "attStmt": [:]], ["fmt": "none", "attStmt": [:]]] }
        #expect(try draft.publish().verify().attestation.trust == .none)
        let error = #expect(throws: VerificationError.self) {
            try draft.publish().verify(judge: AttestationFixture.judge)
        }
        #expect(error?.code == .attestationNotTrusted)
    }

    @Test
    func `a part of an unknown format is carried along, unless that is refused`() throws {
        var draft = CompoundDraft()
        draft.parts = { [$0[0], ["fmt": "tomorrow", "attStmt": ["x": 1]]] }
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        let strict = AttestationFormats([
            CompoundAttestation(formats: AttestationFormats([PackedAttestation()]), acceptsUnverifiedParts: false)
        ])
        #expect(throws: VerificationError.self) { try draft.publish().verify(formats: strict) }
        // Where nothing could be verified, the whole is unverified.
        draft.parts = { _ in [["fmt": "tomorrow", "attStmt": [:]], ["fmt": "later", "attStmt": [:]]] }
        let error = #expect(throws: VerificationError.self) { try draft.publish().verify() }
        #expect(error?.code == .attestationFormatNotAllowed)
    }

    @Test(arguments: CompoundDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<CompoundDraft>) throws {
        // What a part's own format refuses is said in that format's section.
        guard rejection.rule != .compoundParts else {
            var draft = CompoundDraft()
            try rejection.spoil(&draft)
            let error = #expect(throws: VerificationError.self) { try draft.publish().verify() }
            #expect(error?.step == .registration(22))
            #expect(error?.detail.contains("§8.2") == true)
            return
        }
        try rejection.check()
    }

    @Test
    func `its parts can be read by people`() throws {
        let facts = try AttestationFacts(CompoundDraft().publish().object)
        #expect(facts.parts.map(\.format) == ["packed", "packed"])
        #expect(facts.parts.first?.leaf?.subject.organization == "Ward")
    }
}
