import Crypto
import CryptoExtras
import WardText

/// A key of an identity provider that signs ID tokens.
enum ProviderKey: Sendable {
    case es256(P256.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)
    case ps256(_RSA.Signing.PrivateKey)
    case edDSA(Curve25519.Signing.PrivateKey)

    var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .edDSA: "EdDSA"
        }
    }

    /// The members of the public key in a key set.
    var members: [String: JSONValue] {
        func text(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Base64URL.encode(Array(bytes))) }
        switch self {
        case .es256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return ["kty": "EC", "crv": "P-256", "x": text(point.prefix(32)), "y": text(point.suffix(32))]
        case .rs256(let key), .ps256(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { return [:] }
            return [
                "kty": "RSA", "n": text(numbers.modulus.drop { $0 == 0 }),
                "e": text(numbers.publicExponent.drop { $0 == 0 }),
            ]
        case .edDSA(let key): return ["kty": "OKP", "crv": "Ed25519", "x": text(key.publicKey.rawRepresentation)]
        }
    }

    func signature(of message: [UInt8]) throws -> [UInt8] {
        switch self {
        case .es256(let key): Array(try key.signature(for: message).rawRepresentation)
        case .rs256(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ps256(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation)
        case .edDSA(let key): Array(try key.signature(for: message))
        }
    }
}

/// An ID token of a provider that says what a test wants.
struct TokenMaker: Sendable {
    static let issuer = "https://id.example.com"
    static let clientID = "ward-at-the-provider"
    static let now: Int64 = 1_800_000_000

    var key = ProviderKey.es256(P256.Signing.PrivateKey())
    var header: [String: JSONValue] = ["kid": "one"]
    var claims: [String: JSONValue] = [
        "iss": .string(issuer), "sub": "ada-1815", "aud": .string(clientID), "exp": .integer(now + 300),
        "iat": .integer(now), "nonce": "n-1", "email": "ada@example.com",
    ]
    /// What stands for the signature in place of the right one.
    var signature: (@Sendable ([UInt8]) throws -> [UInt8])?

    init() { header["alg"] = "ES256" }

    init(_ key: ProviderKey) {
        self.key = key
        header["alg"] = .string(key.algorithm)
    }

    func token() throws -> String {
        func part(_ members: [String: JSONValue]) -> String {
            let sorted = members.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
            return Base64URL.encode(JSONValue.object(sorted).serialized)
        }
        let message = "\(part(header)).\(part(claims))"
        let bytes = Array(message.utf8)
        return "\(message).\(Base64URL.encode(try signature?(bytes) ?? key.signature(of: bytes)))"
    }

    /// The provider's key set, with other members if a test wants them.
    func keySet(_ change: (inout [String: JSONValue]) -> Void = { _ in }) -> [UInt8] {
        var members = key.members
        members["kid"] = "one"
        members["use"] = "sig"
        members["alg"] = .string(key.algorithm)
        change(&members)
        let entry = JSONValue.object(members.map { .init($0.key, $0.value) })
        return JSONValue.object([.init("keys", .array([entry]))]).serialized
    }
}
