internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty

/// A key of Android's key store, attested when it was made.
struct AndroidKeyDraft: Draft {
    /// An authorization: its number, and its value in DER.
    typealias Authorization = (tag: Int, value: [UInt8])

    var fixture = AttestationFixture()
    var certified: Signer?
    var signer: Signer?
    var recipe = CertificateRecipe()
    var algorithm: CBORValue? = -7
    var software: [Authorization] = [(701, DER.integer(1_800_000_000_000))]
    var hardware: [Authorization] = [
        (1, DER.set(DER.integer(2))), (2, DER.integer(3)), (3, DER.integer(256)), (10, DER.integer(1)), (503, DER.null),
        (702, DER.integer(0)),
    ]
    var challenge: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var description: @Sendable ([UInt8]) -> [UInt8]? = { $0 }

    private static func list(_ authorizations: [Authorization]) -> [UInt8] {
        DER.sequence(of: authorizations.map { DER.explicit($0.tag, $0.value) })
    }

    func publish() throws -> Published {
        var recipe = recipe
        let value = DER.sequence(
            DER.integer(300),
            DER.enumerated(1),
            DER.integer(300),
            DER.enumerated(2),
            DER.octets(challenge(fixture.clientDataHash)),
            DER.octets([]),
            Self.list(software),
            Self.list(hardware)
        )
        if let value = description(value) {
            recipe.extensions.append(.init(identifier: OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17), value: value))
        }
        let keyInfo = (certified ?? fixture.credential).publicKeyInfo
        let certificate = try recipe.make(for: keyInfo, by: AttestationFixture.root)
        let signature = try (signer ?? certified ?? fixture.credential).sign(fixture.signedBytes)
        return try fixture.publish(
            "android-key",
            .members([("alg", algorithm), ("sig", .bytes(signature)), ("x5c", .chain([certificate]))])
        )
    }

    static let rejections: [Rejection<AndroidKeyDraft>] = [
        .init(.androidSyntax, "without alg", "alg is missing") { $0.algorithm = nil },
        .init(.androidSignature, "by another key", "sig is not valid") { $0.signer = .p256() },
        .init(.androidSignature, "with an algorithm of another kind", "does not match") { $0.algorithm = -257 },
        .init(.androidPublicKey, "of somebody else", "another key") { $0.certified = .p256() },
        .init(.androidDescription, "absent", "key description") { $0.description = { _ in nil } },
        .init(.androidDescription, "empty", "key description") { $0.description = { _ in [] } },
        .init(.androidDescription, "cut short", "key description") { $0.description = { $0.dropLast() } },
        .init(.androidDescription, "with something behind it", "key description") { $0.description = { $0 + [0] } },
        .init(.androidDescription, "with an origin that is not a number", "key description") {
            $0.hardware[5].value = DER.null
        },
        .init(.androidDescription, "with two origins", "key description") { $0.hardware.append((702, DER.integer(0))) },
        .init(.androidChallenge, "of another ceremony", "another ceremony") { $0.challenge = { $0.reversed() } },
        .init(.androidChallenge, "cut short", "another ceremony") { $0.challenge = { $0.dropLast() } },
        .init(.androidAllApplications, "by software", "every app") { $0.software.append((600, DER.null)) },
        .init(.androidAllApplications, "by hardware", "every app") { $0.hardware.append((600, DER.null)) },
        .init(.androidAllApplications, "with a value", "every app") { $0.hardware.append((600, DER.integer(0))) },
        .init(.androidOrigin, "imported", "not generated inside") { $0.hardware[5].value = DER.integer(2) },
        .init(.androidOrigin, "imported by software's word", "not generated inside") {
            $0.software.append((702, DER.integer(2)))
        },
        .init(.androidOrigin, "below zero", "not generated inside") { $0.hardware[5].value = DER.integer(-1) },
        .init(.androidOrigin, "not stated", "does not say where") { $0.hardware.remove(at: 5) },
        .init(.androidPurpose, "not stated", "does not say which purposes") { $0.hardware.remove(at: 0) },
        .init(.androidPurpose, "for verifying", "other purposes than signing") {
            $0.hardware[0].value = DER.set(DER.integer(3))
        },
        .init(.androidPurpose, "for signing and deciphering", "other purposes than signing") {
            $0.hardware[0].value = DER.set(DER.integer(1), DER.integer(2))
        },
        .init(.androidPurpose, "for nothing", "other purposes than signing") { $0.hardware[0].value = DER.set() },
        .init(.androidPurpose, "for something else by software's word", "other purposes than signing") {
            $0.software.append((1, DER.set(DER.integer(0))))
        },
    ]
}

@Suite struct `Android key attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try AndroidKeyDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test(arguments: AndroidKeyDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<AndroidKeyDraft>) throws {
        try rejection.check()
    }

    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let software: [AndroidKeyDraft.Authorization]
        let hardware: [AndroidKeyDraft.Authorization]
        let accepting: Set<AndroidKeyAttestation.Authority>

        static let origin: AndroidKeyDraft.Authorization = (702, DER.integer(0))
        static let purpose: AndroidKeyDraft.Authorization = (1, DER.set(DER.integer(2)))
        static let all = [
            Case(
                testDescription: "both in hardware",
                software: [],
                hardware: [purpose, origin],
                accepting: [.software, .trustedEnvironment]
            ),
            Case(
                testDescription: "both in software",
                software: [purpose, origin],
                hardware: [],
                accepting: [.software]
            ),
            Case(
                testDescription: "one in each",
                software: [origin],
                hardware: [purpose],
                accepting: [.software]
            ),
            Case(testDescription: "purpose alone", software: [], hardware: [purpose], accepting: []),
            Case(testDescription: "origin alone", software: [], hardware: [origin], accepting: []),
            Case(testDescription: "nothing", software: [], hardware: [], accepting: []),
        ]
    }

    @Test(arguments: Case.all)
    private func `whose word counts is the policy's to say`(_ example: Case) throws {
        var draft = AndroidKeyDraft()
        draft.software = example.software
        draft.hardware = example.hardware
        let published = try draft.publish()
        for authority in [AndroidKeyAttestation.Authority.software, .trustedEnvironment] {
            let formats = AttestationFormats.all(androidKey: AndroidKeyAttestation(authority: authority))
            let isAccepted = (try? published.verify(judge: AttestationFixture.judge, formats: formats)) != nil
            #expect(isAccepted == example.accepting.contains(authority), "\(authority)")
        }
    }

    @Test
    func `what Android says of a key can be read by people`() throws {
        var draft = AndroidKeyDraft()
        draft.hardware.append(
            (704, DER.sequence(DER.octets([7]), DER.boolean(0xff), DER.enumerated(0), DER.octets([8])))
        )
        draft.hardware.append((705, DER.integer(140_000)))
        draft.hardware.append((706, DER.integer(202_601)))
        draft.hardware.append((718, DER.integer(1)))
        let description = try #require(AttestationFacts(draft.publish().object).androidKey)
        #expect(description.attestationVersion == 300)
        #expect(description.attestationSecurityLevel == .trustedEnvironment)
        #expect(description.keymasterSecurityLevel == .strongBox)
        #expect(description.teeEnforced.purpose == [2])
        #expect(description.teeEnforced.keySize == 256)
        #expect(description.teeEnforced.noAuthRequired)
        #expect(description.teeEnforced.rootOfTrust?.isDeviceLocked == true)
        #expect(description.teeEnforced.osVersion == 140_000)
        #expect(description.teeEnforced.entries.contains { $0.tag == 718 })
        #expect(description.softwareEnforced.creationDateTime == 1_800_000_000_000)
    }

    @Test
    func `facts that nothing depends on may be written as nobody expects`() throws {
        var draft = AndroidKeyDraft()
        draft.hardware.append((704, DER.null))
        draft.hardware.append((705, DER.octets([1])))
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }
}
