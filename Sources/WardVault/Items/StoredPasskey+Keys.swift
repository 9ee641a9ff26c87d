internal import Crypto
internal import Foundation
public import WardCOSE

extension StoredPasskey {
    /// The private key for signing.
    ///
    /// - Throws: ``VaultError`` with `malformedItem` if the bytes are not a private key of this algorithm, or of an
    ///   algorithm that cannot sign here (RSA keys of other managers are stored but not used).
    public func signingKey() throws(VaultError) -> COSEPrivateKey {
        do {
            let raw = try PKCS8.rawRepresentation(of: privateKey.revealed, for: algorithm)
            return try COSEPrivateKey(algorithm: algorithm, rawRepresentation: raw)
        } catch {
            throw VaultError(.malformedItem, "the passkey's private key does not match the algorithm \(algorithm.name)")
        }
    }

    /// The text form of a key, as in ``privateKey``.
    ///
    /// - Throws: ``VaultError`` with `malformedItem` for algorithms without such a form here.
    public static func encodePrivateKey(_ key: COSEPrivateKey) throws(VaultError) -> SecretBytes {
        do {
            return SecretBytes(try PKCS8.encode(key.rawRepresentation, for: key.algorithm))
        } catch {
            throw VaultError(.malformedItem, "keys of \(key.algorithm.name) cannot be stored")
        }
    }
}

/// Private keys in a form that other managers can read.
///
/// RFC 5958; RFC 8410 for Ed25519; RFC 9881 for ML-DSA, whose keys are their seeds.
enum PKCS8 {
    struct Unsupported: Error {}

    /// The algorithms whose keys can be read and written.
    static let algorithms: Set<COSEAlgorithmIdentifier> = [
        .es256, .esp256, .es384, .esp384, .es512, .esp512, .edDSA, .ed25519, .mlDSA65, .mlDSA87,
    ]

    /// The bytes between the version and the 32 bytes of the seed: the algorithm, and the start of two octet strings.
    private static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]

    /// The same bytes for ML-DSA: the identifier 2.16.840.1.101.3.4.3 followed by 18 or 19, and the choice `seed`.
    private static func mlDSA(_ last: UInt8) -> [UInt8] {
        [0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, last, 0x04, 0x22, 0x80, 0x20]
    }

    static func encode(_ raw: [UInt8], for algorithm: COSEAlgorithmIdentifier) throws -> [UInt8] {
        switch algorithm {
        case .es256, .esp256: [UInt8](try P256.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .es384, .esp384: [UInt8](try P384.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .es512, .esp512: [UInt8](try P521.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .edDSA, .ed25519: encode(seed: raw, ed25519)
        case .mlDSA65: encode(seed: raw, mlDSA(0x12))
        case .mlDSA87: encode(seed: raw, mlDSA(0x13))
        default: throw Unsupported()
        }
    }

    static func rawRepresentation(of der: [UInt8], for algorithm: COSEAlgorithmIdentifier) throws -> [UInt8] {
        switch algorithm {
        case .es256, .esp256: return [UInt8](try P256.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .es384, .esp384: return [UInt8](try P384.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .es512, .esp512: return [UInt8](try P521.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .edDSA, .ed25519: return try seed(der, ed25519)
        case .mlDSA65: return try seed(der, mlDSA(0x12))
        case .mlDSA87: return try seed(der, mlDSA(0x13))
        default: throw Unsupported()
        }
    }

    private static func encode(seed: [UInt8], _ algorithm: [UInt8]) -> [UInt8] {
        [0x30, UInt8(3 + algorithm.count + seed.count), 0x02, 0x01, 0x00] + algorithm + seed
    }

    /// Finds the seed in the form with version 0, or with version 1 and the public key after the seed (as OpenSSL and Java
    /// write Ed25519).
    private static func seed(_ der: [UInt8], _ algorithm: [UInt8]) throws -> [UInt8] {
        let start = 5 + algorithm.count
        guard der.count >= start + 32, der[0] == 0x30, Int(der[1]) == der.count - 2, der[2] == 0x02, der[3] == 0x01,
            der[4] <= 1, der.dropFirst(5).starts(with: algorithm)
        else { throw Unsupported() }
        return Array(der.dropFirst(start).prefix(32))
    }
}
