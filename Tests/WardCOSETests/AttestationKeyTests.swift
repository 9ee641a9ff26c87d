import Testing
import WardCOSE

@Suite struct `Keys of attestation statements` {
    static let fixtures: [(COSEAlgorithmIdentifier, [UInt8], [UInt8])] = [
        (.es256, OpenSSLFixture.p256Info, OpenSSLFixture.p256Signature),
        (.es384, OpenSSLFixture.p384Info, OpenSSLFixture.p384Signature),
        (.es512, OpenSSLFixture.p521Info, OpenSSLFixture.p521Signature),
        (.edDSA, OpenSSLFixture.ed25519Info, OpenSSLFixture.ed25519Signature),
        (.rs256, OpenSSLFixture.rsaInfo, OpenSSLFixture.rs256),
        (.rs512, OpenSSLFixture.rsaInfo, OpenSSLFixture.rs512),
        (.ps384, OpenSSLFixture.rsaInfo, OpenSSLFixture.ps384),
    ]

    @Test(arguments: fixtures)
    func `a SubjectPublicKeyInfo of OpenSSL verifies what OpenSSL signed`(
        algorithm: COSEAlgorithmIdentifier,
        info: [UInt8],
        signature: [UInt8]
    ) throws {
        let key = try VerificationKey(algorithm, subjectPublicKeyInfo: info)
        #expect(key.algorithm == algorithm)
        #expect(key.isValid(signature: signature, for: OpenSSLFixture.message))
        #expect(!key.isValid(signature: signature, for: []))
    }

    @Test(arguments: fixtures)
    func `bytes that are not exactly one SubjectPublicKeyInfo are refused`(
        algorithm: COSEAlgorithmIdentifier,
        info: [UInt8],
        signature: [UInt8]
    ) {
        let wrongs: [[UInt8]] = [
            [], [0x30], info + [0], Array(info.dropLast()), Array(info.dropFirst()), [0x31] + Array(info.dropFirst()),
        ]
        for wrong in wrongs {
            #expect(throws: COSEError(.malformed)) { try VerificationKey(algorithm, subjectPublicKeyInfo: wrong) }
        }
        for offset in info.indices {
            var spoiled = info
            spoiled[offset] ^= 0x41
            guard let key = try? VerificationKey(algorithm, subjectPublicKeyInfo: spoiled) else { continue }
            #expect(!key.isValid(signature: signature, for: OpenSSLFixture.message))
        }
    }

    @Test func `a key of another kind than the algorithm's is refused`() {
        let kinds: [(COSEAlgorithmIdentifier, [UInt8])] = [
            (.es256, OpenSSLFixture.p256Info), (.es384, OpenSSLFixture.p384Info), (.es512, OpenSSLFixture.p521Info),
            (.edDSA, OpenSSLFixture.ed25519Info), (.rs256, OpenSSLFixture.rsaInfo),
        ]
        for (algorithm, info) in kinds {
            for (other, _) in kinds where other != algorithm {
                #expect(throws: COSEError(.malformed)) { try VerificationKey(other, subjectPublicKeyInfo: info) }
            }
        }
    }

    @Test func `RSA keys in certificates are held to the same limits`() {
        #expect(throws: COSEError(.keyTooSmall)) {
            try VerificationKey(.rs256, subjectPublicKeyInfo: OpenSSLFixture.smallRSAInfo)
        }
        #expect(throws: COSEError(.keyTooSmall)) {
            try VerificationKey.isValidWithSHA1(
                signature: OpenSSLFixture.smallRS1,
                for: OpenSSLFixture.message,
                subjectPublicKeyInfo: OpenSSLFixture.smallRSAInfo
            )
        }
    }

    @Test func `a weak Ed25519 key in a certificate is refused as one of a credential is`() {
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let info = Array(OpenSSLFixture.ed25519Info.dropLast(32)) + neutral
        #expect(throws: COSEError(.weakKey)) { try VerificationKey(.edDSA, subjectPublicKeyInfo: info) }
    }

    @Test func `a bare RSA key of PKCS 1 is not taken for a SubjectPublicKeyInfo`() {
        let numbers = hex("02820101") + OpenSSLFixture.modulus + hex("0203010001")
        let sequence = hex("3082010a") + numbers
        #expect(throws: COSEError(.malformed)) { try VerificationKey(.rs256, subjectPublicKeyInfo: sequence) }
    }

    @Test func `SHA-1 is verified by its own function and by no key`() throws {
        #expect(
            try VerificationKey.isValidWithSHA1(
                signature: OpenSSLFixture.rs1,
                for: OpenSSLFixture.message,
                subjectPublicKeyInfo: OpenSSLFixture.rsaInfo
            )
        )
        for (signature, message) in [
            (OpenSSLFixture.rs256, OpenSSLFixture.message), (OpenSSLFixture.rs1, []), ([], []),
        ] {
            #expect(
                try !VerificationKey.isValidWithSHA1(
                    signature: signature,
                    for: message,
                    subjectPublicKeyInfo: OpenSSLFixture.rsaInfo
                )
            )
        }
        #expect(throws: COSEError(.malformed)) {
            try VerificationKey.isValidWithSHA1(signature: [], for: [], subjectPublicKeyInfo: OpenSSLFixture.p256Info)
        }
        #expect(throws: COSEError(.attestationOnlyAlgorithm)) {
            try VerificationKey(.rs1, subjectPublicKeyInfo: OpenSSLFixture.rsaInfo)
        }
        #expect(throws: COSEError(.attestationOnlyAlgorithm)) {
            try VerificationKey(.rs1, modulus: OpenSSLFixture.modulus, exponent: [1, 0, 1])
        }
    }

    @Test func `points come uncompressed`() throws {
        let private256 = try COSEPrivateKey.generate(.es256)
        guard case .ec2(_, let x, let y) = private256.publicKey.material else { throw COSEError(.malformed) }
        let key = try VerificationKey(.es256, x963: [4] + x + y)
        #expect(try key.isValid(signature: private256.sign([1]), for: [1]))
        #expect(throws: COSEError(.compressedPoint)) { try VerificationKey(.es256, x963: [2] + x) }
        #expect(throws: COSEError(.compressedPoint)) { try VerificationKey(.es256, x963: [3] + x) }
        #expect(throws: COSEError(.malformed)) { try VerificationKey(.es256, x963: []) }
        #expect(throws: COSEError(.malformed)) { try VerificationKey(.es256, x963: [0]) }
        #expect(throws: COSEError(.malformed)) { try VerificationKey(.es256, x963: [5] + x + y) }
        #expect(throws: COSEError(.wrongLength)) { try VerificationKey(.es256, x963: [4] + x) }
        #expect(throws: COSEError(.pointNotOnCurve)) { try VerificationKey(.es256, x963: [4] + x + x) }
        #expect(throws: COSEError(.wrongLength)) { try VerificationKey(.es384, x963: [4] + x + y) }
        #expect(throws: COSEError(.keyTypeMismatch)) { try VerificationKey(.edDSA, x963: [4] + x + y) }
        #expect(throws: COSEError(.keyTypeMismatch)) { try VerificationKey(.es256, modulus: x, exponent: [3]) }
    }
}
