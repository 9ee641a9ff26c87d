/// The properties of an algorithm: key type, curve or size, and hash.
///
/// This is the only table; to add an algorithm, add a row.
enum COSEScheme: Hashable, Sendable {
    /// ECDSA; the hash length follows from the curve.
    case ecdsa(COSEKey.Curve)
    case ed25519
    case rsa(RSAPadding, COSEHash)
    case mlDSA65
    case mlDSA87

    enum RSAPadding: Hashable, Sendable { case pkcs1, pss }

    enum COSEHash: Hashable, Sendable { case sha256, sha384, sha512 }

    /// RFC 9053, section 7: the registered key types.
    enum KeyType: Int64 {
        case okp = 1
        case ec2 = 2
        case rsa = 3
        case akp = 7
    }

    var keyType: KeyType {
        switch self {
        case .ecdsa: .ec2
        case .ed25519: .okp
        case .rsa: .rsa
        case .mlDSA65, .mlDSA87: .akp
        }
    }

    /// The length of a public key of key type AKP.
    var publicKeyLength: Int? {
        switch self {
        case .mlDSA65: 1952
        case .mlDSA87: 2592
        case .ecdsa, .ed25519, .rsa: nil
        }
    }
}

extension COSEAlgorithmIdentifier {
    /// The properties of a credential's algorithm, or `nil` if credentials may not use it.
    ///
    /// L3 #sctn-alg-identifier fixes the curve for ES256, ES384, ES512 and EdDSA; COSE does not.
    var scheme: COSEScheme? {
        switch self {
        case .es256, .esp256: .ecdsa(.p256)
        case .es384, .esp384: .ecdsa(.p384)
        case .es512, .esp512: .ecdsa(.p521)
        case .edDSA, .ed25519: .ed25519
        case .rs256: .rsa(.pkcs1, .sha256)
        case .rs384: .rsa(.pkcs1, .sha384)
        case .rs512: .rsa(.pkcs1, .sha512)
        case .ps256: .rsa(.pss, .sha256)
        case .ps384: .rsa(.pss, .sha384)
        case .ps512: .rsa(.pss, .sha512)
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        default: nil
        }
    }

    /// The properties of the algorithm, or the error that refuses it.
    func requireScheme() throws(COSEError) -> COSEScheme {
        if let scheme { return scheme }
        switch self {
        case .rs1: throw COSEError(.attestationOnlyAlgorithm, name)
        case .mlDSA44, .es256K, .ed448: throw COSEError(.unsupportedAlgorithm, name)
        default: throw COSEError(.unknownAlgorithm, name)
        }
    }
}
