internal import Crypto
internal import Foundation
public import WardCOSE

extension Passkey {
    /// The private key for signing.
    ///
    /// - Throws: ``VaultError`` with `malformedItem` if the bytes are not a private key of this algorithm, or of an
    ///   algorithm that cannot sign here (RSA keys of other managers are stored but not used).
    public func signingKey() throws(VaultError) -> COSEPrivateKey {
        do {
            let raw = try PKCS8.rawRepresentation(of: privateKey.revealed, for: algorithm)
            return try COSEPrivateKey(algorithm: algorithm, rawRepresentation: raw)
        } catch {
            throw VaultError(.malformedItem, "the passkey's private key is none that signs with \(algorithm.name)")
        }
    }

    /// A key in the form of ``privateKey``.
    ///
    /// - Throws: ``VaultError`` with `malformedItem` for algorithms without such a form here.
    public static func encodePrivateKey(_ key: COSEPrivateKey) throws(VaultError) -> SecretBytes {
        do {
            return SecretBytes(try PKCS8.encode(key.rawRepresentation, for: key.algorithm))
        } catch {
            throw VaultError(.malformedItem, "keys of \(key.algorithm.name) are not kept")
        }
    }
}

/// Private keys in the form that other managers read.
///
/// RFC 5958; RFC 8410 for Ed25519.
enum PKCS8 {
    struct Unsupported: Error {}

    /// The bytes before the 32 bytes of an Ed25519 seed: version 0, the algorithm, an octet string in an octet string.
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    static func encode(_ raw: [UInt8], for algorithm: COSEAlgorithmIdentifier) throws -> [UInt8] {
        switch algorithm {
        case .es256, .esp256: [UInt8](try P256.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .es384, .esp384: [UInt8](try P384.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .es512, .esp512: [UInt8](try P521.Signing.PrivateKey(rawRepresentation: raw).derRepresentation)
        case .edDSA, .ed25519: ed25519Prefix + raw
        default: throw Unsupported()
        }
    }

    static func rawRepresentation(of der: [UInt8], for algorithm: COSEAlgorithmIdentifier) throws -> [UInt8] {
        switch algorithm {
        case .es256, .esp256: return [UInt8](try P256.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .es384, .esp384: return [UInt8](try P384.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .es512, .esp512: return [UInt8](try P521.Signing.PrivateKey(derRepresentation: der).rawRepresentation)
        case .edDSA, .ed25519: return try ed25519Seed(der)
        default: throw Unsupported()
        }
    }

    /// Finds the seed in RFC 8410's forms: version 0, or version 1 with the public key after it (as OpenSSL and Java
    /// write).
    private static func ed25519Seed(_ der: [UInt8]) throws -> [UInt8] {
        let body = ed25519Prefix.dropFirst(5)
        guard der.count >= ed25519Prefix.count + 32, der[0] == 0x30, Int(der[1]) == der.count - 2, der[2] == 0x02,
            der[3] == 0x01, der[4] <= 1, der.dropFirst(5).starts(with: body)
        else { throw Unsupported() }
        return Array(der.dropFirst(ed25519Prefix.count).prefix(32))
    }
}
