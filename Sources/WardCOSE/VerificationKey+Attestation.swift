internal import Crypto
internal import CryptoExtras

/// The keys of attestation statements, which come in certificates and not as COSE.
extension VerificationKey {
    /// Imports a SubjectPublicKeyInfo in DER for an algorithm that the statement names.
    ///
    /// - Throws: ``COSEError`` when the algorithm is none that credentials may have, or the key is not of its kind. A key
    ///   that is of another kind cannot be told from a malformed one: both are ``COSEError/Code/malformed``.
    package init(
        _ algorithm: COSEAlgorithmIdentifier,
        subjectPublicKeyInfo der: [UInt8]
    ) throws(COSEError) {
        switch try algorithm.requireScheme() {
        case .ecdsa(let curve):
            let point = try Self.content(of: der, behind: Self.pointHead(curve), length: 2 * curve.coordinateLength)
            try self.init(algorithm, point: point)
        case .ed25519:
            let bytes = try Self.content(of: der, behind: Self.ed25519Head, length: 32)
            try Ed25519Point.check(0..<bytes.count, in: bytes.span)
            try self.init(algorithm, bytes: bytes)
        case .rsa(let padding, let hash):
            self.init(algorithm: algorithm, imported: .rsa(try Self.rsaKey(subjectPublicKeyInfo: der), padding, hash))
        case .mlDSA65, .mlDSA87:
            throw COSEError(.unsupportedAlgorithm, "certificates for \(algorithm.name)")
        }
    }

    /// Imports an uncompressed point in the form of X9.63: 4, x, y.
    package init(_ algorithm: COSEAlgorithmIdentifier, x963 bytes: [UInt8]) throws(COSEError) {
        switch bytes.first {
        case 4: try self.init(algorithm, point: Array(bytes.dropFirst()))
        case 2, 3: throw COSEError(.compressedPoint)
        default: throw COSEError(.malformed, "no uncompressed point")
        }
    }

    /// Whether a signature with RSASSA-PKCS1-v1_5 and SHA-1 is valid, as attestation statements of old TPMs have it.
    ///
    /// Kept apart from ``isValid(signature:for:)`` so that no credential can ever be checked this way.
    ///
    /// - Throws: ``COSEError`` when the bytes are no acceptable RSA key.
    package static func isValidWithSHA1(
        signature: [UInt8],
        for message: [UInt8],
        subjectPublicKeyInfo der: [UInt8]
    ) throws(COSEError) -> Bool {
        try rsaKey(subjectPublicKeyInfo: der).isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: Insecure.SHA1.hash(data: message),
            padding: .insecurePKCS1v1_5
        )
    }

    /// Imports an RSA key and holds it to the same limits as a credential's.
    private static func rsaKey(subjectPublicKeyInfo der: [UInt8]) throws(COSEError) -> _RSA.Signing.PublicKey {
        // The library reads a key from the front of what it is given, and other forms too.
        guard isSubjectPublicKeyInfo(der.span),
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: der),
            let numbers = try? key.getKeyPrimitives()
        else { throw COSEError(.malformed, "no RSA public key") }
        let both = [UInt8](numbers.modulus) + [UInt8](numbers.publicExponent)
        let middle = numbers.modulus.count
        try RSANumbers.check(modulus: 0..<middle, exponent: middle..<both.count, in: both.span)
        return key
    }

    /// Whether the bytes are one DER sequence that starts with a sequence.
    private static func isSubjectPublicKeyInfo(_ der: Span<UInt8>) -> Bool {
        guard der.count > 4, der[0] == 0x30 else { return false }
        let width = der[1] < 0x80 ? 0 : Int(der[1]) - 0x80
        guard width <= 2, der.count > 2 + width else { return false }
        var length = width == 0 ? Int(der[1]) : 0
        for index in 0..<width { length = length << 8 | Int(der[2 + index]) }
        return length == der.count - 2 - width && der[2 + width] == 0x30
    }

    /// What stands before the coordinates: the sequences, the identifiers of key type and curve, the bit string and 4.
    ///
    /// A named curve leaves nothing open in this form (RFC 5480, section 2), so it is compared and not parsed: the library
    /// reads the same bytes without looking at the identifiers.
    private static func pointHead(_ curve: COSEKey.Curve) -> [UInt8] {
        let keyType: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        return switch curve {
        case .p384:
            [0x30, 0x76, 0x30, 0x10] + keyType + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04]
        case .p521:
            [0x30, 0x81, 0x9b, 0x30, 0x10] + keyType
                + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00, 0x04]
        case .p256, .ed25519:
            [0x30, 0x59, 0x30, 0x13] + keyType
                + [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04]
        }
    }

    /// RFC 8410, section 4: the one form an Ed25519 key has.
    private static let ed25519Head: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    private static func content(of der: [UInt8], behind head: [UInt8], length: Int) throws(COSEError) -> [UInt8] {
        guard der.count == head.count + length, der.starts(with: head) else {
            throw COSEError(.malformed, "no SubjectPublicKeyInfo of this algorithm")
        }
        return Array(der.dropFirst(head.count))
    }
}
