internal import Crypto
internal import CryptoExtras
internal import WardAttestation

/// A key pair that signs certificates and statements of tests.
struct Signer: Sendable {
    enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case mlDSA65(MLDSA65.PrivateKey)
        case mlDSA87(MLDSA87.PrivateKey)
    }

    /// How a certificate is signed.
    enum Algorithm: Sendable {
        case ecdsa(Int)
        case rsaPKCS1(Int)
        case rsaPSS(Int)
        case ed25519
        case mlDSA65
        case mlDSA87
    }

    let key: Key

    static func p256() -> Signer { Signer(key: .p256(.init())) }
    static func p384() -> Signer { Signer(key: .p384(.init())) }
    static func p521() -> Signer { Signer(key: .p521(.init())) }
    static func ed25519() -> Signer { Signer(key: .ed25519(.init())) }
    static func mlDSA65() throws -> Signer { Signer(key: .mlDSA65(try .init())) }
    static func mlDSA87() throws -> Signer { Signer(key: .mlDSA87(try .init())) }
    static func rsa(bits: Int = 2048) throws -> Signer {
        Signer(key: .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits))))
    }

    /// Made once: searching for primes takes a while.
    static let sharedRSA = Result { try rsa() }

    var usualAlgorithm: Algorithm {
        switch key {
        case .p256: .ecdsa(256)
        case .p384: .ecdsa(384)
        case .p521: .ecdsa(512)
        case .rsa: .rsaPKCS1(256)
        case .ed25519: .ed25519
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }

    /// The SubjectPublicKeyInfo in DER.
    var publicKeyInfo: [UInt8] {
        switch key {
        case .p256(let key): [UInt8](key.publicKey.derRepresentation)
        case .p384(let key): [UInt8](key.publicKey.derRepresentation)
        case .p521(let key): [UInt8](key.publicKey.derRepresentation)
        case .rsa(let key): [UInt8](key.publicKey.derRepresentation)
        case .ed25519(let key):
            [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
                + [UInt8](key.publicKey.rawRepresentation)
        case .mlDSA65(let key): Self.mlDSAInfo(.mlDSA65, [UInt8](key.publicKey.rawRepresentation))
        case .mlDSA87(let key): Self.mlDSAInfo(.mlDSA87, [UInt8](key.publicKey.rawRepresentation))
        }
    }

    private static func mlDSAInfo(_ algorithm: Algorithm, _ publicKey: [UInt8]) -> [UInt8] {
        DER.sequence(algorithm.identifier, DER.bits(publicKey))
    }

    /// The point in uncompressed form, for the NIST curves.
    var point: [UInt8] {
        switch key {
        case .p256(let key): [UInt8](key.publicKey.x963Representation)
        case .p384(let key): [UInt8](key.publicKey.x963Representation)
        case .p521(let key): [UInt8](key.publicKey.x963Representation)
        case .rsa, .ed25519, .mlDSA65, .mlDSA87: []
        }
    }

    func sign(_ message: [UInt8], _ algorithm: Algorithm? = nil) throws -> [UInt8] {
        switch (key, algorithm ?? usualAlgorithm) {
        case (.p256(let key), .ecdsa(let hash)):
            switch hash {
            case 256: return [UInt8](try key.signature(for: SHA256.hash(data: message)).derRepresentation)
            case 384: return [UInt8](try key.signature(for: SHA384.hash(data: message)).derRepresentation)
            default: return [UInt8](try key.signature(for: SHA512.hash(data: message)).derRepresentation)
            }
        case (.p384(let key), .ecdsa(let hash)):
            switch hash {
            case 256: return [UInt8](try key.signature(for: SHA256.hash(data: message)).derRepresentation)
            case 384: return [UInt8](try key.signature(for: SHA384.hash(data: message)).derRepresentation)
            default: return [UInt8](try key.signature(for: SHA512.hash(data: message)).derRepresentation)
            }
        case (.p521(let key), .ecdsa(let hash)):
            switch hash {
            case 256: return [UInt8](try key.signature(for: SHA256.hash(data: message)).derRepresentation)
            case 384: return [UInt8](try key.signature(for: SHA384.hash(data: message)).derRepresentation)
            default: return [UInt8](try key.signature(for: SHA512.hash(data: message)).derRepresentation)
            }
        case (.rsa(let key), .rsaPKCS1(let hash)): return try Self.rsa(key, message, hash, .insecurePKCS1v1_5)
        case (.rsa(let key), .rsaPSS(let hash)): return try Self.rsa(key, message, hash, .PSS)
        case (.ed25519(let key), _): return [UInt8](try key.signature(for: message))
        case (.mlDSA65(let key), _): return [UInt8](try key.signature(for: message))
        case (.mlDSA87(let key), _): return [UInt8](try key.signature(for: message))
        default: return []
        }
    }

    private static func rsa(
        _ key: _RSA.Signing.PrivateKey,
        _ message: [UInt8],
        _ hash: Int,
        _ padding: _RSA.Signing.Padding
    ) throws -> [UInt8] {
        switch hash {
        case 1: [UInt8](try key.signature(for: Insecure.SHA1.hash(data: message), padding: padding).rawRepresentation)
        case 256: [UInt8](try key.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation)
        case 384: [UInt8](try key.signature(for: SHA384.hash(data: message), padding: padding).rawRepresentation)
        default: [UInt8](try key.signature(for: SHA512.hash(data: message), padding: padding).rawRepresentation)
        }
    }
}

extension Signer.Algorithm {
    /// The AlgorithmIdentifier in DER.
    var identifier: [UInt8] {
        switch self {
        case .ecdsa(let hash):
            DER.sequence(DER.oid(OID(1, 2, 840, 10045, 4, 3, [1: 1, 256: 2, 384: 3, 512: 4][hash] ?? 0)))
        case .rsaPKCS1(let hash):
            DER.sequence(DER.oid(OID(1, 2, 840, 113549, 1, 1, [1: 5, 256: 11, 384: 12, 512: 13][hash] ?? 0)), DER.null)
        case .rsaPSS(let hash): pss(hash, salt: hash / 8)
        case .ed25519: DER.sequence(DER.oid(OID(1, 3, 101, 112)))
        case .mlDSA65: DER.sequence(DER.oid(OID(2, 16, 840, 1, 101, 3, 4, 3, 18)))
        case .mlDSA87: DER.sequence(DER.oid(OID(2, 16, 840, 1, 101, 3, 4, 3, 19)))
        }
    }

    /// RFC 4055, section 3.1.
    func pss(_ hash: Int, mask: Int? = nil, salt: Int) -> [UInt8] {
        func sha2(_ hash: Int) -> [UInt8] {
            DER.sequence(DER.oid(OID(2, 16, 840, 1, 101, 3, 4, 2, [256: 1, 384: 2, 512: 3][hash] ?? 0)))
        }
        return DER.sequence(
            DER.oid(OID(1, 2, 840, 113549, 1, 1, 10)),
            DER.sequence(
                DER.explicit(0, sha2(hash)),
                DER.explicit(1, DER.sequence(DER.oid(OID(1, 2, 840, 113549, 1, 1, 8)), sha2(mask ?? hash))),
                DER.explicit(2, DER.integer(salt))
            )
        )
    }
}
