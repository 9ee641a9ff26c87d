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
        let scheme = try algorithm.requireScheme()
        do {
            let imported: Imported
            switch scheme {
            case .ecdsa(.p384): imported = .p384(try P384.Signing.PublicKey(derRepresentation: der))
            case .ecdsa(.p521): imported = .p521(try P521.Signing.PublicKey(derRepresentation: der))
            case .ecdsa: imported = .p256(try P256.Signing.PublicKey(derRepresentation: der))
            case .ed25519: imported = .ed25519(try Self.ed25519Key(subjectPublicKeyInfo: der))
            case .rsa(let padding, let hash):
                imported = .rsa(try Self.rsaKey(subjectPublicKeyInfo: der), padding, hash)
            case .mlDSA65, .mlDSA87:
                throw COSEError(.unsupportedAlgorithm, "certificates for \(algorithm.name)")
            }
            self.init(algorithm: algorithm, imported: imported)
        } catch let error as COSEError {
            throw error
        } catch {
            throw COSEError(.malformed, "no public key for \(algorithm.name)")
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
        do {
            return try rsaKey(subjectPublicKeyInfo: der).isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature),
                for: Insecure.SHA1.hash(data: message),
                padding: .insecurePKCS1v1_5
            )
        } catch let error as COSEError {
            throw error
        } catch {
            throw COSEError(.malformed, "no RSA public key")
        }
    }

    /// Imports an RSA key and holds it to the same limits as a credential's.
    private static func rsaKey(subjectPublicKeyInfo der: [UInt8]) throws -> _RSA.Signing.PublicKey {
        // The library reads a key from the front of what it is given, and other forms too.
        guard isSubjectPublicKeyInfo(der.span) else { throw COSEError(.malformed, "no SubjectPublicKeyInfo") }
        let key: _RSA.Signing.PublicKey
        do {
            key = try _RSA.Signing.PublicKey(unsafeDERRepresentation: der)
        } catch {
            throw COSEError(.malformed, "no RSA public key")
        }
        let numbers = try key.getKeyPrimitives()
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

    /// RFC 8410, section 4: the one form an Ed25519 key has.
    private static func ed25519Key(subjectPublicKeyInfo der: [UInt8]) throws -> Curve25519.Signing.PublicKey {
        let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
        guard der.count == prefix.count + 32, der.starts(with: prefix) else {
            throw COSEError(.malformed, "no Ed25519 public key")
        }
        try Ed25519Point.check(prefix.count..<der.count, in: der.span)
        return try Curve25519.Signing.PublicKey(rawRepresentation: Array(der.dropFirst(prefix.count)))
    }
}
