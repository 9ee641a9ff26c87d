internal import Crypto
internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardCOSE
internal import WardRelyingParty

/// A credential in a TPM, certified by an attestation key.
struct TPMDraft: Draft {
    var fixture = AttestationFixture()
    var attestationKey = Signer.p256()
    var recipe: CertificateRecipe
    var algorithm: CBORValue = -7
    var signingAlgorithm: Signer.Algorithm?
    var version: CBORValue = "2.0"
    var chain: @Sendable ([[UInt8]]) -> CBORValue? = { .chain($0) }
    var spoilsSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var further: [(String, CBORValue?)] = []
    /// The parts of pubArea: type, nameAlg, attributes, policy, parameters, unique.
    var pubArea: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }
    /// The parts of certInfo: magic, type, signer, extraData, clock, firmware, name, qualified name.
    var certInfo: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }
    /// What the hash in extraData is made with.
    var extraData: @Sendable ([UInt8]) -> [UInt8] = { Array(SHA256.hash(data: $0)) }
    /// What pubArea is named with.
    var name: @Sendable ([UInt8]) -> [UInt8] = { [0x00, 0x0b] + SHA256.hash(data: $0) }

    init() {
        recipe = CertificateRecipe()
        recipe.subject = Name.empty
        recipe.extensions = [
            .basicConstraints(DER.sequence()), .extendedKeyUsage(OID(2, 23, 133, 8, 3)),
            .alternativeName(Self.alternativeName()),
        ]
    }

    /// TCG EK Credential Profile, section 3.2.9; what is `nil` is left out.
    static func alternativeName(
        manufacturer: String? = "id:414D4400",
        model: String? = "Model",
        version: String? = "id:13"
    ) -> [UInt8] {
        let attributes = [(1, manufacturer), (2, model), (3, version)].compactMap { number, value in
            value.map { DER.sequence(DER.oid(OID(2, 23, 133, 2, UInt64(number))), DER.utf8($0)) }
        }
        return DER.sequence(
            DER.explicit(4, DER.sequence(DER.element(0x31, attributes.flatMap(\.self))))
        )
    }

    static func buffer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    /// TPMT_PUBLIC of the credential's key.
    private func publicArea() throws -> [[UInt8]] {
        switch try fixture.credentialKey.material {
        case .rsa(let n, let e):
            return [
                [0x00, 0x01], [0x00, 0x0b], [0x00, 0x06, 0x04, 0x72], Self.buffer([]),
                [0x00, 0x10, 0x00, 0x10, 0x08, 0x00] + [UInt8](repeating: 0, count: 4 - e.count) + e, Self.buffer(n),
            ]
        case .ec2(let curve, let x, let y):
            let number: UInt8 = [.p256: 3, .p384: 4, .p521: 5][curve] ?? 0
            return [
                [0x00, 0x23], [0x00, 0x0b], [0x00, 0x06, 0x04, 0x72], Self.buffer([]),
                [0x00, 0x10, 0x00, 0x10, 0x00, number, 0x00, 0x10], Self.buffer(x) + Self.buffer(y),
            ]
        case .okp, .akp: return []
        }
    }

    func publish() throws -> Published {
        let area = pubArea(try publicArea()).flatMap(\.self)
        let info = certInfo([
            [0xff, 0x54, 0x43, 0x47], [0x80, 0x17], Self.buffer([1, 2, 3]),
            Self.buffer(extraData(try fixture.signedBytes)),
            [UInt8](repeating: 0, count: 17), [UInt8](repeating: 1, count: 8), Self.buffer(name(area)),
            Self.buffer([4, 5]),
        ]).flatMap(\.self)
        let certificate = try recipe.make(for: attestationKey.publicKeyInfo, by: AttestationFixture.root)
        return try fixture.publish(
            "tpm",
            .members(
                [
                    ("ver", version), ("alg", algorithm), ("x5c", chain([certificate])),
                    ("sig", .bytes(spoilsSignature(try attestationKey.sign(info, signingAlgorithm)))),
                    ("certInfo", .bytes(info)), ("pubArea", .bytes(area)),
                ] + further
            )
        )
    }

    static let rejections: [Rejection<TPMDraft>] = statementRejections + structureRejections + certificateRejections

    private static let statementRejections: [Rejection<TPMDraft>] = [
        .init(.tpmSyntax, "without x5c", "x5c is missing") { $0.chain = { _ in nil } },
        .init(.tpmSyntax, "with the identifier of an ECDAA key", "does not have") {
            $0.further = [("ecdaaKeyId", .bytes([1]))]
        },
        .init(.tpmVersion, "1.2", "ver is not 2.0") { $0.version = "1.2" },
        .init(.tpmSignature, "spoiled", "sig is not valid") {
            $0.spoilsSignature = { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
        },
        .init(.tpmSignature, "with an algorithm of another kind", "does not match") { $0.algorithm = -257 },
        .init(.tpmSignature, "with SHA-1 and no RSA", "does not match") { $0.algorithm = -65535 },
        .init(.tpmAAGUID, "that is another", "is for AAGUID") {
            $0.recipe.extensions.append(.aaguid([UInt8](repeating: 1, count: 16)))
        },
    ]

    /// Bug classes 29, 31 and 39 among them: every structure cut short, every hash swapped.
    private static let structureRejections: [Rejection<TPMDraft>] = [
        .init(.tpmPublicKey, "of another credential", "is not the credential's key") {
            $0.pubArea = { $0[..<5] + [$0[5].dropLast() + [$0[5][$0[5].count - 1] ^ 1]] }
        },
        .init(.tpmPublicKey, "on another curve", "is not the credential's key") {
            $0.pubArea = { $0[..<4] + [[0x00, 0x10, 0x00, 0x10, 0x00, 0x04, 0x00, 0x10], $0[5]] }
        },
        .init(.tpmPublicKey, "of no kind that is known", "a key of type KEYEDHASH") {
            $0.pubArea = { [[0x00, 0x08]] + $0[1...] }
        },
        .init(.tpmPublicKey, "with a scheme that is not known", "a scheme") {
            $0.pubArea = { $0[..<4] + [[0x00, 0x10, 0x12, 0x34, 0x00, 0x03, 0x00, 0x10], $0[5]] }
        },
        .init(.tpmPublicKey, "with a symmetric algorithm that is not known", "a symmetric algorithm") {
            $0.pubArea = { $0[..<4] + [[0x12, 0x34, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10], $0[5]] }
        },
        .init(.tpmPublicKey, "with something behind it", "surplus") { $0.pubArea = { $0 + [[0]] } },
        .init(.tpmPublicKey, "cut short", "pubArea") { $0.pubArea = { Array($0.dropLast()) } },
        .init(.tpmPublicKey, "empty", "pubArea") { $0.pubArea = { _ in [] } },
        .init(.tpmMagic, "of data that the TPM was given", "magic is 0x0") {
            $0.certInfo = { [[0, 0, 0, 0]] + $0[1...] }
        },
        .init(.tpmType, "of a quote", "type is 0x8018") { $0.certInfo = { [$0[0], [0x80, 0x18]] + $0[2...] } },
        .init(.tpmExtraData, "of another registration", "extraData") {
            $0.extraData = { Array(SHA256.hash(data: $0 + [0])) }
        },
        .init(.tpmExtraData, "with another hash than alg's", "extraData") {
            $0.extraData = { Array(SHA384.hash(data: $0)) }
        },
        .init(.tpmExtraData, "empty", "extraData") { $0.extraData = { _ in [] } },
        .init(.tpmExtraData, "with an algorithm that has no hash", "has no hash") {
            $0.attestationKey = .ed25519()
            $0.algorithm = -8
        },
        .init(.tpmName, "of another key", "the name of another key") {
            $0.name = { [0x00, 0x0b] + SHA256.hash(data: $0 + [0]) }
        },
        .init(.tpmName, "without the hash's number", "the name of another key") {
            $0.name = { Array(SHA256.hash(data: $0)) }
        },
        .init(.tpmName, "with another hash than pubArea's", "the name of another key") {
            $0.name = { [0x00, 0x0c] + SHA384.hash(data: $0) }
        },
        .init(.tpmName, "with a hash that is not known", "which is not known") {
            $0.pubArea = { [$0[0], [0x00, 0x27]] + $0[2...] }
            $0.name = { [0x00, 0x27] + SHA256.hash(data: $0) }
        },
        .init(.tpmName, "with no hash", "which is not known") {
            $0.pubArea = { [$0[0], [0x00, 0x10]] + $0[2...] }
            $0.name = { _ in [0x00, 0x10] }
        },
        .init(.tpmName, "cut off", "certInfo") { $0.certInfo = { Array($0.dropLast(2)) } },
        .init(.tpmName, "with something behind it", "surplus") { $0.certInfo = { $0 + [[0]] } },
        .init(.tpmMagic, "absent", "certInfo") { $0.certInfo = { _ in [] } },
    ]

    private static let certificateRejections: [Rejection<TPMDraft>] = [
        .init(.tpmCertificateVersion, "1", "version is 1") {
            $0.recipe.version = []
            $0.recipe.extensions = []
        },
        .init(.tpmSubject, "that names somebody", "not empty") { $0.recipe.subject = Name.packed },
        .init(.tpmAlternativeName, "absent", "alternative name") { $0.recipe.extensions.removeLast() },
        .init(.tpmAlternativeName, "without manufacturer", "alternative name") {
            $0.recipe.extensions[2] = .alternativeName(alternativeName(manufacturer: nil))
        },
        .init(.tpmAlternativeName, "without model", "alternative name") {
            $0.recipe.extensions[2] = .alternativeName(alternativeName(model: nil))
        },
        .init(.tpmAlternativeName, "without version", "alternative name") {
            $0.recipe.extensions[2] = .alternativeName(alternativeName(version: nil))
        },
        .init(.tpmAlternativeName, "of a host", "alternative name") {
            $0.recipe.extensions[2] = .alternativeName(DER.sequence(DER.element(0x82, Array("tpm".utf8))))
        },
        .init(.tpmAlternativeName, "with a manufacturer in words", "manufacturer") {
            $0.recipe.extensions[2] = .alternativeName(alternativeName(manufacturer: "Advanced M"))
        },
        .init(.tpmAlternativeName, "with a manufacturer of seven digits", "manufacturer") {
            $0.recipe.extensions[2] = .alternativeName(alternativeName(manufacturer: "id:414D440"))
        },
        .init(.tpmExtendedKeyUsage, "absent", "AIK") { $0.recipe.extensions.remove(at: 1) },
        .init(.tpmExtendedKeyUsage, "for something else", "AIK") {
            $0.recipe.extensions[1] = .extendedKeyUsage(OID(2, 23, 133, 8, 1))
        },
        .init(.tpmBasicConstraints, "of an authority", "basic constraints") { $0.recipe.extensions[0] = .authority() },
        .init(.tpmBasicConstraints, "absent", "basic constraints") { $0.recipe.extensions.removeFirst() },
    ]
}

@Suite struct `TPM attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try TPMDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test(arguments: TPMDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<TPMDraft>) throws {
        try rejection.check()
    }

    @Test
    func `RSA credentials are held against modulus and exponent`() throws {
        var draft = TPMDraft()
        draft.fixture.credential = try Signer.sharedRSA.get()
        draft.fixture.algorithm = .rs256
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        // Zero stands for 65537, and nothing else does.
        draft.pubArea = { $0[..<4] + [[0x00, 0x10, 0x00, 0x10, 0x08, 0x00, 0, 0, 0, 0], $0[5]] }
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        draft.pubArea = { $0[..<4] + [[0x00, 0x10, 0x00, 0x10, 0x08, 0x00, 0, 0, 0, 3], $0[5]] }
        #expect(throws: VerificationError.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        // A key of 2048 bits has a modulus of 256 bytes.
        draft.pubArea = { $0[..<4] + [[0x00, 0x10, 0x00, 0x10, 0x10, 0x00, 0, 1, 0, 1], $0[5]] }
        #expect(throws: VerificationError.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test
    func `SHA-1 is taken for the statement of a TPM, and for no credential`() throws {
        var draft = TPMDraft()
        draft.attestationKey = try Signer.sharedRSA.get()
        draft.algorithm = -65535
        draft.signingAlgorithm = .rsaPKCS1(1)
        draft.extraData = { Array(Insecure.SHA1.hash(data: $0)) }
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        // Bug class 29: the hash is alg's, never SHA-256 in its place.
        draft.extraData = { Array(SHA256.hash(data: $0)) }
        #expect(throws: VerificationError.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test(arguments: [(0x0c, -35), (0x0d, -36), (0x04, -7)] as [(UInt8, Int64)])
    func `every known hash may name a key`(_ number: UInt8, _ algorithm: Int64) throws {
        var draft = TPMDraft()
        draft.pubArea = { [$0[0], [0x00, number]] + $0[2...] }
        draft.name = { area in
            switch number {
            case 0x04: [0, number] + Insecure.SHA1.hash(data: area)
            case 0x0c: [0, number] + SHA384.hash(data: area)
            default: [0, number] + SHA512.hash(data: area)
            }
        }
        switch algorithm {
        case -35:
            draft.attestationKey = .p384()
            draft.extraData = { Array(SHA384.hash(data: $0)) }
        case -36:
            draft.attestationKey = .p521()
            draft.extraData = { Array(SHA512.hash(data: $0)) }
        default: break
        }
        draft.algorithm = .integer(algorithm)
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test
    func `a manufacturer outside the registry is refused where that is asked for`() throws {
        let strict = AttestationFormats.all(tpm: TPMAttestation(requiresRegisteredVendor: true))
        var draft = TPMDraft()
        #expect(throws: Never.self) { try draft.publish().verify(formats: strict) }
        draft.recipe.extensions[2] = .alternativeName(TPMDraft.alternativeName(manufacturer: "id:00000000"))
        #expect(throws: Never.self) { try draft.publish().verify() }
        #expect(throws: VerificationError.self) { try draft.publish().verify(formats: strict) }
    }

    @Test
    func `what a TPM says can be read by people`() throws {
        let facts = try AttestationFacts(TPMDraft().publish().object)
        #expect(facts.tpmIdentity?.vendorName == "AMD")
        #expect(facts.tpmIdentity?.model == "Model")
        #expect(facts.tpmCertInfo?.qualifiedSigner == [1, 2, 3])
        #expect(
            facts.tpmPublicArea?.attributes.description
                == "fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA, decrypt, sign"
        )
        #expect(facts.algorithm == .es256)
        #expect(facts.leaf?.keyDescription == "P-256")
    }
}
