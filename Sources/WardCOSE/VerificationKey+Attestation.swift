internal import Crypto
internal import CryptoExtras

/// Keys of attestation statements, which are in certificates and not in COSE.
extension VerificationKey {
    /// Imports a SubjectPublicKeyInfo in DER for the statement's algorithm.
    ///
    /// - Throws: ``COSEError`` if the algorithm is not supported for credentials, or the key does not match it. A key
    ///   of another kind and a malformed key both give ``COSEError/Code/malformed``.
    package init(
        _ algorithm: COSEAlgorithmIdentifier,
        subjectPublicKeyInfo der: [UInt8]
    ) throws(COSEError) {
        let scheme = try algorithm.requireScheme()
        switch scheme {
        case .ecdsa(let curve):
            // The library reads the same bytes without checking the identifiers.
            let point = try Self.content(
                of: der,
                behind: SubjectPublicKeyInfo.pointHead(curve),
                length: 2 * curve.coordinateLength
            )
            try self.init(algorithm, point: point)
        case .ed25519:
            let bytes = try Self.content(of: der, behind: SubjectPublicKeyInfo.ed25519Head, length: 32)
            try Ed25519Point.check(0..<bytes.count, in: bytes.span)
            try self.init(algorithm, bytes: bytes)
        case .rsa(let padding, let hash):
            self.init(algorithm: algorithm, imported: .rsa(try Self.rsaKey(subjectPublicKeyInfo: der), padding, hash))
        case .mlDSA65, .mlDSA87:
            let length = scheme.publicKeyLength ?? 0
            let head = SubjectPublicKeyInfo.mlDSAHead(scheme == .mlDSA65 ? 0x12 : 0x13, length: length)
            try self.init(algorithm, bytes: try Self.content(of: der, behind: head, length: length))
        }
    }

    /// Imports an uncompressed point in the form of X9.63: 4, x, y.
    package init(_ algorithm: COSEAlgorithmIdentifier, x963 bytes: [UInt8]) throws(COSEError) {
        switch bytes.first {
        case 4: try self.init(algorithm, point: Array(bytes.dropFirst()))
        case 2, 3: throw COSEError(.compressedPoint)
        default: throw COSEError(.malformed, "not an uncompressed point")
        }
    }

    /// Whether a signature with RSASSA-PKCS1-v1_5 and SHA-1 is valid, for attestation statements of old TPMs.
    ///
    /// It is separate from ``isValid(signature:for:)``, so that no credential can be verified this way.
    ///
    /// - Throws: ``COSEError`` if the bytes are not an acceptable RSA key.
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

    /// Imports an RSA key with the same limits as for credentials.
    static func rsaKey(subjectPublicKeyInfo der: [UInt8]) throws(COSEError) -> _RSA.Signing.PublicKey {
        // The library ignores trailing bytes and accepts other forms too.
        guard isSubjectPublicKeyInfo(der.span),
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: der),
            let numbers = try? key.getKeyPrimitives()
        else { throw COSEError(.malformed, "not an RSA public key") }
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

    static func content(of der: [UInt8], behind head: [UInt8], length: Int) throws(COSEError) -> [UInt8] {
        guard der.count == head.count + length, der.starts(with: head) else {
            throw COSEError(.malformed, "not a SubjectPublicKeyInfo of this algorithm")
        }
        return Array(der.dropFirst(head.count))
    }
}
