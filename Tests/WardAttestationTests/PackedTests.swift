internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty

/// A packed statement with a certificate of the authority's.
struct PackedDraft: Draft {
    var fixture = AttestationFixture()
    var leaf = Signer.p256()
    var recipe = CertificateRecipe()
    var algorithm: CBORValue? = -7
    var signs: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var spoilsSignature: @Sendable ([UInt8]) -> [UInt8]? = { $0 }
    var certificates: @Sendable ([[UInt8]]) -> CBORValue = { .chain($0) }
    var further: [(String, CBORValue?)] = []

    func publish() throws -> Published {
        let certificate = try recipe.make(for: leaf.publicKeyInfo, by: AttestationFixture.root)
        let signature = spoilsSignature(try leaf.sign(signs(try fixture.signedBytes)))
        return try fixture.publish(
            "packed",
            .members(
                [
                    ("alg", algorithm), ("sig", signature.map(CBORValue.bytes)), ("x5c", certificates([certificate])),
                ] + further
            )
        )
    }

    static let rejections: [Rejection<PackedDraft>] = [
        .init(.packedSyntax, "without alg", "alg is missing") { $0.algorithm = nil },
        .init(.packedSyntax, "without sig", "sig is missing") { $0.spoilsSignature = { _ in nil } },
        .init(.packedSyntax, "with alg as text", "syntax") { $0.algorithm = "ES256" },
        .init(.packedSyntax, "with no certificate in x5c", "no certificate") { $0.certificates = { _ in [] } },
        .init(.packedSyntax, "with x5c as bytes", "syntax") { $0.certificates = { .bytes($0[0]) } },
        .init(.packedSyntax, "with text in x5c", "syntax") { $0.certificates = { _ in ["certificate"] } },
        .init(.packedSyntax, "with nine certificates", "more than 8") {
            $0.certificates = { .chain([[UInt8]](repeating: $0[0], count: 9)) }
        },
        .init(.packedSyntax, "with the identifier of an ECDAA key", "does not have") {
            $0.further = [("ecdaaKeyId", .bytes([1]))]
        },
        .init(.packedSyntax, "with a member of another format", "does not have") { $0.further = [("ver", "2.0")] },
        .init(.packedSyntax, "with something behind the certificate", "cannot be read") {
            $0.certificates = { .chain([$0[0] + [0]]) }
        },
        .init(.packedSignature, "over other bytes", "sig is not valid") { $0.signs = { $0 + [0] } },
        .init(.packedSignature, "with one bit flipped", "sig is not valid") {
            $0.spoilsSignature = { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
        },
        .init(.packedSignature, "that is empty", "sig is not valid") { $0.spoilsSignature = { _ in [] } },
        .init(.packedSignature, "that does not end", "sig is not valid") { $0.spoilsSignature = { $0 + [0] } },
        .init(.packedSignature, "by another key", "sig is not valid") { draft in
            let other = Signer.p256()
            draft.spoilsSignature = { _ in try? other.sign([1]) }
        },
        .init(.packedSignature, "with an algorithm of another curve", "does not match") { $0.algorithm = -35 },
        .init(.packedSignature, "with an algorithm of another kind", "does not match") { $0.algorithm = -257 },
        .init(.packedSignature, "with SHA-1", "does not match") { $0.algorithm = -65535 },
        .init(.packedSignature, "with an algorithm nobody knows", "does not match") { $0.algorithm = -4711 },
        .init(.packedAAGUID, "that is another", "is for AAGUID") {
            $0.recipe.extensions.append(.aaguid([UInt8](repeating: 1, count: 16)))
        },
        .init(.packedAAGUID, "of 15 bytes", "must have 16 bytes") {
            $0.recipe.extensions.append(.aaguid([UInt8](1...15)))
        },
        .init(.packedAAGUID, "wrapped once", "must have 16 bytes") {
            var bare = CertificateRecipe.Extension.aaguid([])
            bare.value = [UInt8](1...16)
            $0.recipe.extensions.append(bare)
        },
        .init(.packedVersion, "1", "version is 1") {
            $0.recipe.version = []
            $0.recipe.extensions = []
        },
        .init(.packedVersion, "2", "version is 2") {
            $0.recipe.version = DER.explicit(0, DER.integer(1))
            $0.recipe.extensions = []
        },
        .init(.packedCountry, "absent", "country") { $0.recipe.subject = Name.packed(country: nil) },
        .init(.packedCountry, "of three letters", "country") { $0.recipe.subject = Name.packed(country: "SWE") },
        .init(.packedCountry, "of digits", "country") { $0.recipe.subject = Name.packed(country: "46") },
        .init(.packedOrganization, "absent", "organization") { $0.recipe.subject = Name.packed(organization: nil) },
        .init(.packedOrganization, "empty", "organization") { $0.recipe.subject = Name.packed(organization: "") },
        .init(.packedUnit, "absent", "organizational unit") { $0.recipe.subject = Name.packed(unit: nil) },
        .init(.packedUnit, "in other words", "organizational unit") {
            $0.recipe.subject = Name.packed(unit: "Authenticator attestation")
        },
        .init(.packedCommonName, "absent", "common name") { $0.recipe.subject = Name.packed(commonName: nil) },
        .init(.packedBasicConstraints, "of an authority", "basic constraints") {
            $0.recipe.extensions = [.authority()]
        },
        .init(.packedBasicConstraints, "absent", "basic constraints") { $0.recipe.extensions = [.keyUsage(0x80)] },
        .init(.packedCritical, "AAGUID", "1.3.6.1.4.1.45724.1.1.4 is critical") { draft in
            var aaguid = CertificateRecipe.Extension.aaguid(draft.fixture.aaguid)
            aaguid.critical = DER.boolean(0xff)
            draft.recipe.extensions.append(aaguid)
        },
        .init(.packedCritical, "firmware version", "1.3.6.1.4.1.45724.1.1.5 is critical") {
            $0.recipe.extensions.append(
                .init(
                    identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 5),
                    critical: DER.boolean(0xff),
                    value: DER.integer(42)
                )
            )
        },
        .init(.packedCritical, "serial number", "1.3.6.1.4.1.45724.1.1.2 is critical") {
            $0.recipe.extensions.append(
                .init(
                    identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 2),
                    critical: DER.boolean(0xff),
                    value: DER.octets([1])
                )
            )
        },
    ]
}

/// A packed statement by the credential itself.
struct SelfDraft: Draft {
    var fixture = AttestationFixture()
    var algorithm: CBORValue = -7
    var signer: Signer?

    func publish() throws -> Published {
        let signature = try (signer ?? fixture.credential).sign(fixture.signedBytes)
        return try fixture.publish("packed", .members([("alg", algorithm), ("sig", .bytes(signature))]))
    }

    static let rejections: [Rejection<SelfDraft>] = [
        // Bug class 30: alg unread, or not held against the key.
        .init(.packedSelfAlgorithm, "fully specified where the key's is not", "the credential's algorithm is ES256") {
            $0.algorithm = -9
        },
        .init(.packedSelfAlgorithm, "of another kind", "the credential's algorithm is ES256") { $0.algorithm = -257 },
        .init(.packedSelfAlgorithm, "SHA-1", "the credential's algorithm is ES256") { $0.algorithm = -65535 },
        .init(.packedSelfSignature, "by another key", "credential's own key") { $0.signer = .p256() },
    ]
}

@Suite struct `Packed attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try PackedDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test
    func `the AAGUID of the certificate may stand there twice wrapped, as the specification says`() throws {
        var draft = PackedDraft()
        draft.recipe.extensions.append(.aaguid(draft.fixture.aaguid))
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    static let signers: [(Signer, Int64)] = [
        (.p384(), -35), (.p521(), -36), (.ed25519(), -8), (.p256(), -9), (.ed25519(), -19),
    ]

    @Test(arguments: signers)
    func `attestation keys of every kind sign`(_ signer: Signer, _ algorithm: Int64) throws {
        var draft = PackedDraft()
        draft.leaf = signer
        draft.algorithm = .integer(algorithm)
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test
    func `attestation keys of RSA sign`() throws {
        var draft = PackedDraft()
        draft.leaf = try Signer.sharedRSA.get()
        draft.algorithm = -257
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test(arguments: PackedDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<PackedDraft>) throws {
        try rejection.check()
    }

    @Test(arguments: SelfDraft.rejections)
    func `a broken rule of self attestation is refused by its check`(_ rejection: Rejection<SelfDraft>) throws {
        try rejection.check()
    }

    @Test
    func `self attestation holds, and is trusted by nobody`() throws {
        let published = try SelfDraft().publish()
        #expect(try published.verify().attestation.trust == .selfAttestation)
        let error = #expect(throws: VerificationError.self) { try published.verify(judge: AttestationFixture.judge) }
        #expect(error?.code == .attestationNotTrusted)
        #expect(error?.step == .registration(24))
    }
}
