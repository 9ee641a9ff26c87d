/// The forms that public keys have in X.509, in DER.
///
/// RFC 5280, section 4.1.2.7; RFC 5480, section 2 (points); RFC 8410, section 4 (Ed25519); RFC 3279, section 2.3.1 (RSA);
/// RFC 9881, section 4 (ML-DSA).
enum SubjectPublicKeyInfo {
    /// The bytes before the coordinates: the sequences, the identifiers of key type and curve, the bit string and 4.
    ///
    /// With a named curve this form is fixed (RFC 5480, section 2), so it is written and compared as a whole.
    static func pointHead(_ curve: COSEKey.Curve) -> [UInt8] {
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

    /// The bytes before an Ed25519 key, which are fixed.
    static let ed25519Head: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    /// An RSA key of two numbers, big-endian without leading zeros.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        // rsaEncryption for both paddings: keys are stored this way, and browsers return them this way.
        let algorithm: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let numbers = element(0x30, positive(modulus) + positive(exponent))
        return element(0x30, algorithm + element(0x03, [0] + numbers))
    }

    /// An ML-DSA key; the last byte of its algorithm identifier is the parameter set.
    static func mlDSA(_ parameterSet: UInt8, _ publicKey: [UInt8]) -> [UInt8] {
        let algorithm: [UInt8] = [
            0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, parameterSet,
        ]
        return element(0x30, algorithm + element(0x03, [0] + publicKey))
    }

    /// All there is before the bytes of an ML-DSA key.
    static func mlDSAHead(_ parameterSet: UInt8, length: Int) -> [UInt8] {
        Array(mlDSA(parameterSet, [UInt8](repeating: 0, count: length)).dropLast(length))
    }

    private static func positive(_ number: [UInt8]) -> [UInt8] {
        let needsSign = (number.first ?? 0x80) >= 0x80
        return element(0x02, needsSign ? [0] + number : number)
    }

    /// Writes tag, length and content; two length bytes are enough for every accepted key.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let high = UInt8(truncatingIfNeeded: content.count >> 8)
        let low = UInt8(truncatingIfNeeded: content.count)
        return switch content.count {
        case ..<0x80: [tag, low] + content
        case ..<0x100: [tag, 0x81, low] + content
        default: [tag, 0x82, high, low] + content
        }
    }
}

extension COSEKey {
    /// The key as SubjectPublicKeyInfo in DER, as in certificates and from `getPublicKey()` in browsers.
    ///
    /// It is available for every algorithm of credentials. The form contains less than the key: for RSA neither padding
    /// nor hash, for a curve no hash. Keep ``algorithm`` with it.
    ///
    /// WebAuthn Level 3, [§5.2.1.1](https://www.w3.org/TR/webauthn-3/#sctn-public-key-easy).
    ///
    /// - Returns: The DER bytes.
    /// - Throws: ``COSEError`` if the numbers are not a valid key, as ``verificationKey()`` does.
    public func subjectPublicKeyInfo() throws(COSEError) -> [UInt8] {
        _ = try verificationKey()
        return switch material {
        case .ec2(let curve, let x, let y): SubjectPublicKeyInfo.pointHead(curve) + x + y
        case .okp(_, let x): SubjectPublicKeyInfo.ed25519Head + x
        case .rsa(let n, let e): SubjectPublicKeyInfo.rsa(modulus: n, exponent: e)
        case .akp(let publicKey): SubjectPublicKeyInfo.mlDSA(scheme == .mlDSA65 ? 0x12 : 0x13, publicKey)
        }
    }
}
