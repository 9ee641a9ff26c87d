import Crypto
internal import JWTKit
package import WardAccounts
import WardText

/// The keys that sign ID tokens, with ES256.
///
/// A new key is in the key set before it signs, so that clients know it in time. An old key leaves the key set when nothing
/// that it signed is valid any more.
package struct IDTokenKeys: Sendable {
    /// How long an ID token is valid, in seconds.
    static let tokenLifetime: Int64 = 600
    /// How long clients may keep the key set, in seconds.
    package static let cacheLifetime: Int64 = 900
    /// How long after the last ID token a key leaves the key set: time for clocks that are not exact.
    private static let grace: Int64 = 3_600

    private let keys: [IDTokenKey]

    /// - Parameter keys: All keys that the store has.
    package init(_ keys: [IDTokenKey]) {
        self.keys = keys
    }

    /// Makes a key.
    package static func make(activeFrom time: Int64) -> IDTokenKey {
        let key = P256.Signing.PrivateKey()
        let digest = SHA256.hash(data: key.publicKey.rawRepresentation)
        return IDTokenKey(
            id: Base64URL.encode(Array(digest.prefix(12))),
            privateKey: Array(key.rawRepresentation),
            activeFrom: time
        )
    }

    /// Adds a key that signs from now on, if there is none.
    package static func prepare(at now: Int64, in tx: some AccountTransaction) async throws {
        guard try await tx.idTokenKeys().isEmpty else { return }
        try await tx.setIDTokenKey(make(activeFrom: now))
        try await tx.append(AuditEvent(.keyRotated, at: now, by: .operator, of: nil))
    }

    /// Adds a key, and lets the others end.
    ///
    /// - Parameters:
    ///   - isAtOnce: Whether the others end now, because somebody else may have them; tokens that they signed are not
    ///     accepted any more.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The new key.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    package static func rotate(atOnce isAtOnce: Bool, at now: Int64, in tx: some AccountTransaction) async throws
        -> IDTokenKey
    {
        let old = try await tx.idTokenKeys()
        let current = IDTokenKeys(old).signing(at: now)?.id
        let key = make(activeFrom: isAtOnce || old.isEmpty ? now : now + cacheLifetime)
        for var known in old {
            if isAtOnce || (known.expiresAt ?? .max) <= now || known.activeFrom > now {
                // One that never signed is replaced as well.
                try await tx.deleteIDTokenKey(id: known.id)
            } else if known.id == current {
                known.expiresAt = key.activeFrom + tokenLifetime + grace
                try await tx.setIDTokenKey(known)
            }
        }
        try await tx.setIDTokenKey(key)
        try await tx.append(AuditEvent(.keyRotated, at: now, by: .operator, of: nil))
        return key
    }

    /// The key that signs now: the last one that may.
    func signing(at now: Int64) -> IDTokenKey? {
        keys.last { $0.activeFrom <= now && ($0.expiresAt ?? .max) > now } ?? keys.first
    }

    /// The keys of the key set.
    package func published(at now: Int64) -> [IDTokenKey] { keys.filter { ($0.expiresAt ?? .max) > now } }

    /// The key set: RFC 7517, [section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5).
    func json(at now: Int64) -> JSONValue {
        let set = published(at: now).compactMap { key -> JSONValue? in
            guard
                let point = try? P256.Signing.PrivateKey(rawRepresentation: key.privateKey).publicKey.rawRepresentation
            else { return nil }
            let bytes = Array(point)
            return [
                "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(key.id),
                "x": .string(Base64URL.encode(Array(bytes.prefix(32)))),
                "y": .string(Base64URL.encode(Array(bytes.suffix(32)))),
            ]
        }
        return ["keys": .array(set)]
    }

    /// Verifies an ID token of this service that a client sends back, also if it has expired.
    ///
    /// - Returns: Its claims, or `nil` if no key of the key set signed it.
    func verified(_ token: String, at now: Int64) async -> IDTokenClaims? {
        guard token.utf8.count <= 8_192 else { return nil }
        let collection = JWTKeyCollection()
        for key in published(at: now) {
            guard let known = try? ES256PrivateKey(backing: P256.Signing.PrivateKey(rawRepresentation: key.privateKey))
            else { continue }
            await collection.add(ecdsa: known.publicKey, kid: JWKIdentifier(string: key.id))
        }
        return try? await collection.verify(token, as: IDTokenClaims.self)
    }
}

extension IDTokenKey {
    /// Signs an ID token.
    ///
    /// - Throws: ``StoreError`` with `damaged` if the stored key cannot be read; the library's errors.
    func sign(_ claims: IDTokenClaims) async throws -> String {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: privateKey) else {
            throw StoreError(.damaged, detail: "a key for ID tokens cannot be read")
        }
        let kid = JWKIdentifier(string: id)
        return try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(backing: key), kid: kid).sign(claims, kid: kid)
    }
}

/// The claims of an ID token: OpenID Connect Core 1.0,
/// [section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken).
struct IDTokenClaims: JWTPayload, Equatable {
    let iss: String
    let sub: String
    let aud: String
    let exp: Int64
    let iat: Int64
    let auth_time: Int64
    var nonce: String?
    var acr: String?
    var amr: [String]?
    var at_hash: String?

    /// The signature is all that the library checks: a hint may have expired.
    func verify(using algorithm: some JWTAlgorithm) {}
}
