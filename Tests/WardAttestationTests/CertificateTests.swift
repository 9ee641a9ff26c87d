internal import Testing
internal import WardAttestation
internal import WardWebAuthn

/// A deviation that is tolerated, and what brings it about.
private struct Deviation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: CertificateDeviations
    let make: @Sendable (inout CertificateRecipe, inout [UInt8]) throws -> Void

    init(
        _ expected: CertificateDeviations,
        _ description: String,
        _ make: @escaping @Sendable (inout CertificateRecipe, inout [UInt8]) throws -> Void
    ) {
        testDescription = "\(expected): \(description)"
        self.expected = expected
        self.make = make
    }

    /// Bug class 42.
    static let all: [Deviation] = [
        .init(.longLengths, "a name whose length takes three bytes too many") { recipe, _ in
            recipe.subject = DER.longElement(0x30, Array(Name.packed.dropFirst(2)))
        },
        .init(.longIntegers, "a serial number with a zero too many") { recipe, _ in
            recipe.serialNumber = DER.integer([0, 0x12, 0x34])
        },
        .init(.looseBooleans, "a critical extension that says 1") { recipe, _ in
            recipe.extensions[0].critical = DER.boolean(1)
        },
        .init(.writtenDefaults, "an extension that says that it is not critical") { recipe, _ in
            recipe.extensions[0].critical = DER.boolean(0)
        },
        .init(.writtenDefaults, "basic constraints that say cA FALSE") { recipe, _ in
            recipe.extensions = [.basicConstraints(DER.sequence(DER.boolean(0)))]
        },
        .init(.writtenDefaults, "version 1 written out") { recipe, _ in
            recipe.version = DER.explicit(0, DER.integer(0))
            recipe.extensions = []
        },
        .init(.nullParameters, "ECDSA with NULL") { recipe, _ in
            recipe.outerAlgorithm = DER.sequence(DER.oid(OID(1, 2, 840, 10045, 4, 3, 2)), DER.null)
        },
        .init(.nullParameters, "ECDSA with NULL outside alone") { recipe, _ in
            recipe.outerAlgorithm = DER.sequence(DER.oid(OID(1, 2, 840, 10045, 4, 3, 2)), DER.null)
            recipe.innerAlgorithm = Signer.Algorithm.ecdsa(256).identifier
        },
        .init(.unusualSerialNumber, "negative") { recipe, _ in recipe.serialNumber = DER.integer([0xd0, 1]) },
        .init(.unusualSerialNumber, "zero") { recipe, _ in recipe.serialNumber = DER.integer(0) },
        .init(.unusualSerialNumber, "of 21 bytes") { recipe, _ in
            recipe.serialNumber = DER.integer([UInt8](repeating: 1, count: 21))
        },
        .init(.negativeModulus, "a modulus without its zero") { _, keyInfo in
            let bits = DER.bits(
                DER.sequence(DER.integer([0xc1] + [UInt8](repeating: 1, count: 255)), DER.integer([1, 0, 1]))
            )
            keyInfo = DER.sequence(DER.sequence(DER.oid(OID(1, 2, 840, 113549, 1, 1, 1)), DER.null), bits)
        },
        .init(.unusualTime, "GeneralizedTime before 2050") { recipe, _ in
            recipe.notAfter = DER.generalizedTime("20330410235959Z")
        },
        .init(.unusualTime, "UTCTime without seconds") { recipe, _ in recipe.notAfter = DER.utcTime("3304102359Z") },
        .init(.unusedSignatureBits, "3 of them") { recipe, _ in recipe.unusedSignatureBits = 3 },
        .init([], "the end of the year 9999") { recipe, _ in
            recipe.notAfter = DER.generalizedTime("99991231235959Z")
        },
        .init([], "strings of another notation") { recipe, _ in
            recipe.subject = Name.make([
                (OID(2, 5, 4, 6), DER.utf8("SE")), (OID(2, 5, 4, 10), DER.element(0x14, Array("Ward".utf8))),
                (OID(2, 5, 4, 11), DER.element(0x16, Array("Authenticator Attestation".utf8))),
                (OID(2, 5, 4, 3), DER.element(0x1e, [0, 0x54, 0, 0x65])),
            ])
        },
    ]
}

/// A certificate that is broken in a way that is not tolerated.
private struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: CertificateError.Code
    let make: @Sendable (inout CertificateRecipe, inout [UInt8]) throws -> Void

    init(
        _ description: String,
        _ code: CertificateError.Code = .malformed,
        _ make: @escaping @Sendable (inout CertificateRecipe, inout [UInt8]) throws -> Void
    ) {
        testDescription = description
        self.code = code
        self.make = make
    }

    static let all: [Refusal] = [
        .init("version 4") { recipe, _ in recipe.version = DER.explicit(0, DER.integer(3)) },
        .init("extensions in version 1") { recipe, _ in recipe.version = [] },
        .init("two signature algorithms") { recipe, _ in
            recipe.innerAlgorithm = Signer.Algorithm.ecdsa(384).identifier
        },
        .init("ECDSA with parameters that say something") { recipe, _ in
            recipe.outerAlgorithm = DER.sequence(DER.oid(OID(1, 2, 840, 10045, 4, 3, 2)), DER.integer(1))
        },
        .init("one extension twice", .duplicateExtension) { recipe, _ in
            recipe.extensions.append(.aaguid([UInt8](1...16)))
            recipe.extensions.append(.aaguid([UInt8](1...16)))
        },
        .init("basic constraints twice", .duplicateExtension) { recipe, _ in
            recipe.extensions.append(.authority())
        },
        .init("33 extensions", .tooLarge) { recipe, _ in
            for number in 0..<32 {
                recipe.extensions.append(.init(identifier: OID(1, 2, 3, UInt64(number)), value: []))
            }
        },
        .init("a negative path length") { recipe, _ in
            recipe.extensions = [.basicConstraints(DER.sequence(DER.boolean(0xff), DER.integer(-1)))]
        },
        .init("basic constraints that are something else") { recipe, _ in
            recipe.extensions = [.basicConstraints(DER.null)]
        },
        .init("key usage that is something else") { recipe, _ in
            recipe.extensions.append(.init(identifier: OID(2, 5, 29, 15), value: DER.octets([0x80])))
        },
        .init("a truth value of two bytes") { recipe, _ in recipe.extensions[0].critical = DER.element(0x01, [0xff, 0])
        },
        .init("an integer without bytes") { recipe, _ in recipe.serialNumber = DER.integer([UInt8]()) },
        .init("an object identifier that does not end") { recipe, _ in
            recipe.extensions[0].identifier = OID([0x55, 0x9d])
        },
        .init("a month that does not exist") { recipe, _ in recipe.notAfter = DER.utcTime("331301000000Z") },
        .init("a time in another zone") { recipe, _ in recipe.notAfter = DER.utcTime("330101000000+0100") },
        .init("a time with fractions") { recipe, _ in recipe.notAfter = DER.generalizedTime("20330101000000.5Z") },
        .init("a time with letters") { recipe, _ in recipe.notAfter = DER.utcTime("33010100000aZ") },
        .init("a name that is not a sequence") { recipe, _ in recipe.subject = DER.null },
        .init("something behind the extensions") { recipe, _ in recipe.appendix = DER.null },
        .init("an indefinite length") { recipe, _ in recipe.serialNumber = [0x02, 0x80, 1, 0, 0] },
        .init("a length of nine bytes") { recipe, _ in
            recipe.serialNumber = [0x02, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
        },
        .init("a key that does not fill its last byte") { _, keyInfo in
            keyInfo = DER.sequence(
                DER.sequence(DER.oid(OID(1, 2, 840, 10045, 2, 1)), DER.oid(OID(1, 2, 840, 10045, 3, 1, 7))),
                DER.bits([UInt8](repeating: 4, count: 65), unused: 1)
            )
        },
        .init("an RSA key with something behind it") { _, keyInfo in
            keyInfo = DER.sequence(
                DER.sequence(DER.oid(OID(1, 2, 840, 113549, 1, 1, 1)), DER.null),
                DER.bits(DER.sequence(DER.integer(3), DER.integer(3)) + [0])
            )
        },
    ]
}

@Suite struct `Certificates` {
    private func make(
        _ spoil: (inout CertificateRecipe, inout [UInt8]) throws -> Void
    ) throws -> [UInt8] {
        var recipe = CertificateRecipe()
        var keyInfo = Signer.p256().publicKeyInfo
        try spoil(&recipe, &keyInfo)
        return try recipe.make(for: keyInfo, by: AttestationFixture.root)
    }

    @Test(arguments: Deviation.all)
    private func `a deviation is accepted where the signature holds, and named`(_ deviation: Deviation) throws {
        let encoded = try make(deviation.make)
        let certificate = try AttestationCertificate(encoded)
        #expect(certificate.deviations == deviation.expected)
        let path = try AttestationFixture.anchors.path(for: [encoded], at: CertificateRecipe.now)
        #expect(path.certificates.first == certificate)
        // Where it does not hold, nothing is.
        var other = encoded
        other[other.count - 1] ^= 1
        #expect(throws: CertificatePathError.self) {
            try AttestationFixture.anchors.path(for: [other], at: CertificateRecipe.now)
        }
    }

    @Test
    func `RSA without NULL is accepted, and named`() throws {
        var recipe = CertificateRecipe()
        recipe.outerAlgorithm = DER.sequence(DER.oid(OID(1, 2, 840, 113549, 1, 1, 11)))
        let authority = try Signer.sharedRSA.get()
        let root = try AttestationFixture.rootRecipe.make(for: authority.publicKeyInfo, by: authority)
        let encoded = try recipe.make(for: Signer.p256().publicKeyInfo, by: authority)
        #expect(try AttestationCertificate(encoded).deviations == .missingParameters)
        #expect(throws: Never.self) {
            try TrustAnchors(der: [root]).path(for: [encoded], at: CertificateRecipe.now)
        }
    }

    @Test(arguments: Refusal.all)
    private func `what changes the meaning is refused`(_ refusal: Refusal) throws {
        let encoded = try make(refusal.make)
        let error = #expect(throws: CertificateError.self) { try AttestationCertificate(encoded) }
        #expect(error?.code == refusal.code, "\(String(describing: error))")
    }

    @Test
    func `every length is an error but the whole`() throws {
        let encoded = try make { _, _ in }
        for length in encoded.indices {
            #expect(throws: CertificateError.self) { try AttestationCertificate(Array(encoded.prefix(length))) }
        }
        #expect(throws: CertificateError.self) { try AttestationCertificate(encoded + [0]) }
        let large = #expect(throws: CertificateError.self) {
            try AttestationCertificate([UInt8](repeating: 0x30, count: 32_769))
        }
        #expect(large?.code == .tooLarge)
    }

    @Test
    func `bytes flipped anywhere end in an error or in another certificate`() throws {
        let encoded = try make { recipe, _ in
            recipe.extensions += [.aaguid([UInt8](1...16)), .keyUsage(0x80), .extendedKeyUsage(OID(1, 2, 3))]
        }
        for index in encoded.indices {
            for bit in 0..<8 {
                var damaged = encoded
                damaged[index] ^= 1 << bit
                guard let certificate = try? AttestationCertificate(damaged) else { continue }
                #expect(certificate.encoded != encoded)
                // Whatever it says, saying it does not trap.
                _ =
                    "\(certificate) \(certificate.extensions.count) \(certificate.extendedKeyUsage) \(certificate.keyIdentifier)"
            }
        }
    }

    @Test
    func `a certificate says what it holds`() throws {
        var recipe = CertificateRecipe()
        recipe.extensions = [
            .authority(pathLength: 2), .keyUsage(0x86), .aaguid([UInt8](1...16)),
            .init(identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 5), value: DER.integer(42)),
            .init(identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 2), value: DER.octets([7, 7])),
            .init(identifier: OID(2, 5, 29, 14), value: DER.octets([1, 2])),
        ]
        let signer = Signer.p384()
        let certificate = try AttestationCertificate(
            recipe.make(for: signer.publicKeyInfo, by: AttestationFixture.root)
        )
        #expect(certificate.version == 3)
        #expect(certificate.serialNumber == [0x12, 0x67])
        #expect(certificate.subject.description == "C=SE, O=Ward, OU=Authenticator Attestation, CN=Test")
        #expect(certificate.issuer.commonName == "Authority")
        #expect(!certificate.isSelfIssued)
        #expect(certificate.notBefore == 1_704_067_200)
        #expect(certificate.notAfter == 253_402_300_799)
        #expect(certificate.isAuthority == true)
        #expect(certificate.pathLength == 2)
        #expect(certificate.keyUsage?.description == "digitalSignature, keyCertSign, cRLSign")
        #expect(certificate.keyDescription == "P-384")
        #expect(certificate.signatureAlgorithm.description == "ECDSA with SHA-256")
        #expect(certificate.aaguid?.bytes == [UInt8](1...16))
        #expect(certificate.firmwareVersion == 42)
        #expect(certificate.fidoSerialNumber == [7, 7])
        #expect(certificate.subjectKeyIdentifier == [1, 2])
        #expect(certificate.subjectPublicKeyInfo == signer.publicKeyInfo)
        #expect(certificate.extensions.count == 6)
        #expect(certificate.extension(OID(2, 5, 29, 19))?.isCritical == true)
        #expect(certificate.isValid(at: 1_704_067_200))
        #expect(!certificate.isValid(at: 1_704_067_199))
    }

    @Test
    func `what a stranger wrote breaks no line of a log`() throws {
        var recipe = CertificateRecipe()
        recipe.subject = Name.packed(commonName: "a\n2026-01-01 trusted\u{202e}\u{7f}")
        let certificate = try AttestationCertificate(
            recipe.make(for: Signer.p256().publicKeyInfo, by: AttestationFixture.root)
        )
        #expect(certificate.subject.description.hasSuffix("CN=a?2026-01-01 trusted??"))
    }

    @Test
    func `object identifiers are written with dots`() {
        #expect(OID(2, 23, 133, 8, 3).description == "2.23.133.8.3")
        #expect(OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 4).description == "1.3.6.1.4.1.45724.1.1.4")
        #expect(OID(2, 999, 3).description == "2.999.3")
        #expect(OID([0x2a, 0x86, 0x48]).description == "1.2.840")
        #expect(OID([0x2a] + [UInt8](repeating: 0xff, count: 12) + [0x7f]).description == "1.2.?")
    }
}
