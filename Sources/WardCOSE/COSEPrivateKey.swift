internal import Crypto

/// A private key that signs like an authenticator.
///
/// The cryptographic library holds and wipes it; printing does not show it.
public struct COSEPrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The public key of a credential.
    public let publicKey: COSEKey

    private let key: Key

    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case mlDSA65(MLDSA65.PrivateKey)
        case mlDSA87(MLDSA87.PrivateKey)
    }

    /// The key's algorithm.
    public var algorithm: COSEAlgorithmIdentifier { publicKey.algorithm }

    /// Generates a key for any supported algorithm except RSA.
    ///
    /// - Throws: ``COSEError`` if keys of this algorithm cannot be generated here.
    public static func generate(_ algorithm: COSEAlgorithmIdentifier = .es256) throws(COSEError) -> COSEPrivateKey {
        let scheme = try algorithm.requireScheme()
        do {
            let key: Key
            switch scheme {
            case .ecdsa(.p384): key = .p384(P384.Signing.PrivateKey(compactRepresentable: false))
            case .ecdsa(.p521): key = .p521(P521.Signing.PrivateKey(compactRepresentable: false))
            case .ecdsa: key = .p256(P256.Signing.PrivateKey(compactRepresentable: false))
            case .ed25519: key = .ed25519(Curve25519.Signing.PrivateKey())
            case .mlDSA65: key = .mlDSA65(try MLDSA65.PrivateKey())
            case .mlDSA87: key = .mlDSA87(try MLDSA87.PrivateKey())
            case .rsa: throw COSEError(.unsupportedAlgorithm, "private keys of \(algorithm.name)")
            }
            return try COSEPrivateKey(algorithm, key)
        } catch let error as COSEError {
            throw error
        } catch {
            throw COSEError(.invalidPrivateKey, algorithm.name)
        }
    }

    /// Creates a key from its ``rawRepresentation``.
    ///
    /// - Throws: ``COSEError`` if the bytes are not a key of this algorithm.
    public init(algorithm: COSEAlgorithmIdentifier, rawRepresentation: [UInt8]) throws(COSEError) {
        let scheme = try algorithm.requireScheme()
        do {
            let key: Key
            switch scheme {
            case .ecdsa(.p384): key = .p384(try P384.Signing.PrivateKey(rawRepresentation: rawRepresentation))
            case .ecdsa(.p521): key = .p521(try P521.Signing.PrivateKey(rawRepresentation: rawRepresentation))
            case .ecdsa: key = .p256(try P256.Signing.PrivateKey(rawRepresentation: rawRepresentation))
            case .ed25519: key = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation))
            case .mlDSA65:
                key = .mlDSA65(try MLDSA65.PrivateKey(seedRepresentation: rawRepresentation, publicKey: nil))
            case .mlDSA87:
                key = .mlDSA87(try MLDSA87.PrivateKey(seedRepresentation: rawRepresentation, publicKey: nil))
            case .rsa: throw COSEError(.unsupportedAlgorithm, "private keys of \(algorithm.name)")
            }
            try self.init(algorithm, key)
        } catch let error as COSEError {
            throw error
        } catch {
            throw COSEError(.invalidPrivateKey, algorithm.name)
        }
    }

    private init(_ algorithm: COSEAlgorithmIdentifier, _ key: Key) throws(COSEError) {
        func ec2(_ curve: COSEKey.Curve, _ point: [UInt8]) -> COSEKey.Material {
            let half = curve.coordinateLength
            return .ec2(curve: curve, x: Array(point.prefix(half)), y: Array(point.dropFirst(half)))
        }
        let material: COSEKey.Material =
            switch key {
            case .p256(let key): ec2(.p256, [UInt8](key.publicKey.rawRepresentation))
            case .p384(let key): ec2(.p384, [UInt8](key.publicKey.rawRepresentation))
            case .p521(let key): ec2(.p521, [UInt8](key.publicKey.rawRepresentation))
            case .ed25519(let key): .okp(curve: .ed25519, x: [UInt8](key.publicKey.rawRepresentation))
            case .mlDSA65(let key): .akp(publicKey: [UInt8](key.publicKey.rawRepresentation))
            case .mlDSA87(let key): .akp(publicKey: [UInt8](key.publicKey.rawRepresentation))
            }
        publicKey = try COSEKey(algorithm: algorithm, material: material)
        self.key = key
    }

    /// Signs a message; for ECDSA in DER, as WebAuthn requires.
    ///
    /// - Throws: ``COSEError`` with ``COSEError/Code/signingFailed``; no message is refused.
    public func sign(_ message: [UInt8]) throws(COSEError) -> [UInt8] {
        do {
            return switch key {
            case .p256(let key): [UInt8](try key.signature(for: message).derRepresentation)
            case .p384(let key): [UInt8](try key.signature(for: message).derRepresentation)
            case .p521(let key): [UInt8](try key.signature(for: message).derRepresentation)
            case .ed25519(let key): [UInt8](try key.signature(for: message))
            case .mlDSA65(let key): [UInt8](try key.signature(for: message))
            case .mlDSA87(let key): [UInt8](try key.signature(for: message))
            }
        } catch {
            throw COSEError(.signingFailed, algorithm.name)
        }
    }

    /// The secret: the scalar of an elliptic curve, or the seed.
    ///
    /// The copy is not wiped; encrypt it at once.
    public var rawRepresentation: [UInt8] {
        switch key {
        case .p256(let key): [UInt8](key.rawRepresentation)
        case .p384(let key): [UInt8](key.rawRepresentation)
        case .p521(let key): [UInt8](key.rawRepresentation)
        case .ed25519(let key): [UInt8](key.rawRepresentation)
        case .mlDSA65(let key): [UInt8](key.seedRepresentation)
        case .mlDSA87(let key): [UInt8](key.seedRepresentation)
        }
    }

    /// The algorithm, without the key.
    public var description: String { "COSEPrivateKey(\(algorithm.name))" }
    /// A mirror with only the public key.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
