/// A number of the IANA registry "COSE Algorithms".
///
/// It can be any number, because lists of them come from outside; ``isSupported`` says whether keys with it are
/// accepted.
public struct COSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The registered number.
    public var rawValue: Int

    /// Creates an identifier from any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ECDSA with SHA-256; in WebAuthn always over P-256.
    public static let es256 = Self(rawValue: -7)
    /// ECDSA with SHA-384; in WebAuthn always over P-384.
    public static let es384 = Self(rawValue: -35)
    /// ECDSA with SHA-512; in WebAuthn always over P-521.
    public static let es512 = Self(rawValue: -36)
    /// EdDSA; in WebAuthn always Ed25519.
    public static let edDSA = Self(rawValue: -8)
    /// ECDSA with SHA-256 over P-256, fully specified (RFC 9864).
    public static let esp256 = Self(rawValue: -9)
    /// ECDSA with SHA-384 over P-384, fully specified (RFC 9864).
    public static let esp384 = Self(rawValue: -51)
    /// ECDSA with SHA-512 over P-521, fully specified (RFC 9864).
    public static let esp512 = Self(rawValue: -52)
    /// Ed25519, fully specified (RFC 9864).
    public static let ed25519 = Self(rawValue: -19)
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = Self(rawValue: -257)
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    public static let rs384 = Self(rawValue: -258)
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    public static let rs512 = Self(rawValue: -259)
    /// RSASSA-PSS with SHA-256.
    public static let ps256 = Self(rawValue: -37)
    /// RSASSA-PSS with SHA-384.
    public static let ps384 = Self(rawValue: -38)
    /// RSASSA-PSS with SHA-512.
    public static let ps512 = Self(rawValue: -39)
    /// ML-DSA-65.
    public static let mlDSA65 = Self(rawValue: -49)
    /// ML-DSA-87.
    public static let mlDSA87 = Self(rawValue: -50)

    /// ML-DSA-44, which has a name but is not supported: the cryptographic library does not have it.
    public static let mlDSA44 = Self(rawValue: -48)
    /// ECDSA over secp256k1, which has a name but is not supported.
    public static let es256K = Self(rawValue: -47)
    /// Ed448, which has a name but is not supported.
    public static let ed448 = Self(rawValue: -53)
    /// RSASSA-PKCS1-v1_5 with SHA-1, only for attestation statements of old TPMs.
    public static let rs1 = Self(rawValue: -65535)

    /// Every supported algorithm for credentials, widely used ones first.
    public static let supported: [Self] = [
        .es256, .edDSA, .rs256, .es384, .es512, .ps256, .rs384, .rs512, .ps384, .ps512, .esp256, .esp384, .esp512,
        .ed25519, .mlDSA65, .mlDSA87,
    ]

    /// Whether a credential with this algorithm is accepted.
    public var isSupported: Bool { scheme != nil }

    /// Whether signatures of this algorithm are safe from quantum computers: ML-DSA.
    public var isPostQuantum: Bool { [.mlDSA44, .mlDSA65, .mlDSA87].contains(self) }

    /// The registered name, or the number if it is unknown.
    public var name: String {
        switch self {
        case .es256: "ES256"
        case .es384: "ES384"
        case .es512: "ES512"
        case .edDSA: "EdDSA"
        case .esp256: "ESP256"
        case .esp384: "ESP384"
        case .esp512: "ESP512"
        case .ed25519: "Ed25519"
        case .rs256: "RS256"
        case .rs384: "RS384"
        case .rs512: "RS512"
        case .ps256: "PS256"
        case .ps384: "PS384"
        case .ps512: "PS512"
        case .mlDSA44: "ML-DSA-44"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        case .es256K: "ES256K"
        case .ed448: "Ed448"
        case .rs1: "RS1"
        default: String(rawValue)
        }
    }

    /// The name.
    public var description: String { name }
}
