import Crypto
internal import CryptoExtras
internal import JWTKit
package import WardAccounts
import WardText

extension IDTokenKey {
    /// Makes a key.
    ///
    /// An RSA key takes some tenths of a second, so make it before a transaction.
    ///
    /// - Throws: The library's errors.
    package static func make(_ algorithm: IDTokenAlgorithm, activeFrom time: Int64) throws -> IDTokenKey {
        let (digest, privateKey): (SHA256Digest, [UInt8])
        switch algorithm {
        case .es256:
            let key = P256.Signing.PrivateKey()
            (digest, privateKey) = (
                SHA256.hash(data: key.publicKey.rawRepresentation), Array(key.rawRepresentation)
            )
        case .rs256:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            (digest, privateKey) = (
                SHA256.hash(data: key.publicKey.derRepresentation), Array(key.derRepresentation)
            )
        }
        return IDTokenKey(
            id: Base64URL.encode(Array(digest.prefix(12))),
            algorithm: algorithm,
            privateKey: privateKey,
            activeFrom: time
        )
    }

    /// Signs an ID token.
    ///
    /// - Throws: ``StoreError`` with `damaged` if the stored key cannot be read; the library's errors.
    func sign(_ claims: IDTokenClaims) async throws -> String {
        let keys = JWTKeyCollection()
        switch readable {
        case nil: throw StoreError(.damaged, detail: "a key for ID tokens cannot be read")
        case .es256(let key): await keys.add(ecdsa: key, kid: kid)
        case .rs256(let key): await keys.add(rsa: key, digestAlgorithm: .sha256, kid: kid)
        }
        return try await keys.sign(claims, kid: kid)
    }

    /// Adds the public key to a collection that verifies.
    func add(to keys: JWTKeyCollection) async {
        switch readable {
        case nil: break
        case .es256(let key): await keys.add(ecdsa: key.publicKey, kid: kid)
        case .rs256(let key): await keys.add(rsa: key.publicKey, digestAlgorithm: .sha256, kid: kid)
        }
    }

    /// The public key in a key set, or `nil` if the stored key cannot be read.
    var publicJSON: JSONValue? {
        var members: [JSONValue.Member] = [
            .init("use", "sig"), .init("alg", .string(algorithm.rawValue)), .init("kid", .string(id)),
        ]
        func add(_ name: String, _ bytes: some Sequence<UInt8>) {
            members.append(.init(name, .string(Base64URL.encode(Array(bytes)))))
        }
        switch algorithm {
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: privateKey) else { return nil }
            let point = Array(key.publicKey.rawRepresentation)
            members += [.init("kty", "EC"), .init("crv", "P-256")]
            add("x", point.prefix(32))
            add("y", point.suffix(32))
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: privateKey),
                let numbers = try? key.publicKey.getKeyPrimitives()
            else { return nil }
            members.append(.init("kty", "RSA"))
            // RFC 7518, section 6.3.1: without leading zeros.
            add("n", numbers.modulus.drop { $0 == 0 })
            add("e", numbers.publicExponent.drop { $0 == 0 })
        }
        return .object(members)
    }

    private enum Readable {
        case es256(ES256PrivateKey)
        case rs256(JWTKit.Insecure.RSA.PrivateKey)
    }

    private var readable: Readable? {
        switch algorithm {
        case .es256:
            guard let backing = try? P256.Signing.PrivateKey(rawRepresentation: privateKey),
                let key = try? ES256PrivateKey(backing: backing)
            else { return nil }
            return .es256(key)
        case .rs256:
            guard let backing = try? _RSA.Signing.PrivateKey(derRepresentation: privateKey),
                let key = try? JWTKit.Insecure.RSA.PrivateKey(backing: backing)
            else { return nil }
            return .rs256(key)
        }
    }

    private var kid: JWKIdentifier { JWKIdentifier(string: id) }
}
