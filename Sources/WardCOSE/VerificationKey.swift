internal import Crypto
internal import CryptoExtras

/// An imported public key that verifies signatures.
///
/// It is bound to one algorithm, so nobody can choose another hash or padding. It is cheap to copy. Importing one takes
/// about a microsecond, so there is no need to cache it.
public struct VerificationKey: Sendable {
    /// The algorithm.
    public let algorithm: COSEAlgorithmIdentifier

    let imported: Imported

    /// The key in the cryptographic library's form.
    enum Imported: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey, COSEScheme.RSAPadding, COSEScheme.COSEHash)
        case mlDSA65(MLDSA65.PublicKey)
        case mlDSA87(MLDSA87.PublicKey)
    }

    init(algorithm: COSEAlgorithmIdentifier, imported: Imported) {
        self.algorithm = algorithm
        self.imported = imported
    }

    /// Whether the key signed the message.
    ///
    /// An ECDSA signature must be in strict DER. A malformed signature is not an error; the result is `false`.
    public func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        switch imported {
        case .p256(let key):
            guard let raw = ECDSASignatureDER.rawRepresentation(signature.span, coordinateLength: 32),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .p384(let key):
            guard let raw = ECDSASignatureDER.rawRepresentation(signature.span, coordinateLength: 48),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .p521(let key):
            guard let raw = ECDSASignatureDER.rawRepresentation(signature.span, coordinateLength: 66),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519(let key):
            return key.isValidSignature(signature, for: message)
        case .rsa(let key, let padding, let hash):
            return Self.isValid(signature, for: message, key, padding, hash)
        case .mlDSA65(let key):
            return key.isValidSignature(signature, for: message)
        case .mlDSA87(let key):
            return key.isValidSignature(signature, for: message)
        }
    }

    private static func isValid(
        _ signature: [UInt8],
        for message: [UInt8],
        _ key: _RSA.Signing.PublicKey,
        _ padding: COSEScheme.RSAPadding,
        _ hash: COSEScheme.COSEHash
    ) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        // The salt of PSS has the length of the hash: RFC 8230, section 2.
        let padding: _RSA.Signing.Padding = padding == .pss ? .PSS : .insecurePKCS1v1_5
        return switch hash {
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }
}
