internal import Crypto
internal import Foundation
internal import JWTKit
internal import WardText

/// The checks of an identity token.
///
/// OpenID Connect [Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation),
/// with a fixed list of algorithms ([RFC 8725, section 3.1](https://www.rfc-editor.org/rfc/rfc8725#section-3.1)); the
/// key is found only by its ID.
struct OpenIDConnectIdentityToken: Sendable {
    /// The accepted signature algorithms.
    static let algorithms = ["ES256", "ES384", "RS256", "PS256", "EdDSA"]
    /// The tolerated difference between the issuer's clock and this machine's, in seconds.
    static let leeway: Double = 60
    /// The maximum age of a token, in seconds.
    static let maximumAge: Double = 600

    let issuer: String
    let clientID: String
    let nonce: String
    /// Now, in seconds since 1970.
    let now: Double

    /// The audience claim of a token: one text or a list of texts.
    ///
    /// It replaces the library's type, which traps on an empty list.
    struct Audience: Codable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            names = try (try? container.decode(String.self)).map { [$0] } ?? container.decode([String].self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(names)
        }
    }

    /// The claims of a verified token.
    struct Claims: JWTPayload, OpenIDConnectPerson {
        let iss: String
        let sub: String
        let aud: Audience
        let exp: Double
        let iat: Double
        let nbf: Double?
        let azp: String?
        let nonce: String?
        let email: String?
        let name: String?
        let given_name: String?
        let family_name: String?

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// Verifies a token with the issuer's keys.
    ///
    /// - Parameters:
    ///   - token: The token in compact form.
    ///   - keys: The issuer's JSON Web Key Set.
    /// - Returns: The token's claims.
    /// - Throws: ``ASAuthorizationError`` with `failed` and the first check that fails.
    func verified(_ token: String, keys: [UInt8]) async throws(ASAuthorizationError) -> Claims {
        let (algorithm, kid) = try header(of: token)
        let key = try Self.key(kid, for: algorithm, in: keys)
        let claims: Claims
        do {
            let collection = JWTKeyCollection()
            try await collection.add(jwk: key)
            claims = try await collection.verify(token, as: Claims.self)
        } catch {
            let isWrong = (error as? JWTError)?.errorType == .signatureVerificationFailed
            throw .refused(
                isWrong ? "the signature of its identity token is wrong" : "its identity token cannot be verified"
            )
        }
        try check(claims)
        return claims
    }

    /// The algorithm and the key ID in a token's header.
    private func header(of token: String) throws(ASAuthorizationError) -> (algorithm: String, kid: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= 65_536, parts.count == 3, let bytes = Base64URL.decode(String(parts[0])),
            let members = try? JSONValue(bytes).objectValue
        else { throw .refused("the identity token cannot be read") }
        let fields = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
        guard case .string(let algorithm)? = fields["alg"], Self.algorithms.contains(algorithm) else {
            throw .refused("the identity token is signed with an algorithm that is not accepted")
        }
        // Critical extensions must be understood; none is supported (RFC 7515, section 4.1.11).
        guard fields["crit"] == nil else { throw .refused("the identity token needs an unknown extension") }
        guard case .string(let kid)? = fields["kid"] else { throw .refused("the identity token has no key ID") }
        return (algorithm, kid)
    }

    /// The only key with that ID, or `nil` if it may not be used with the algorithm.
    private static func key(
        _ kid: String,
        for algorithm: String,
        in keys: [UInt8]
    ) throws(ASAuthorizationError) -> JWK {
        guard let members = try? JSONValue(keys).objectValue,
            case .array(let entries)? = members.first(where: { $0.name == "keys" })?.value
        else { throw .refused("the issuer's keys cannot be read") }
        // Skips keys of other kinds, because the library may not support them.
        let found = entries.compactMap { entry -> [JSONValue.Member]? in
            guard case .object(let members) = entry,
                members.contains(where: { $0.name == "kid" && $0.value == .string(kid) }),
                !members.contains(where: { $0.name == "use" && $0.value != "sig" })
            else { return nil }
            return members
        }
        guard found.count == 1, var members = found.first else {
            throw .refused("the issuer has no key with the key ID of the identity token")
        }
        if let named = members.first(where: { $0.name == "alg" })?.value, named != .string(algorithm) {
            throw .refused("the issuer's key is for another algorithm than the identity token uses")
        }
        members.removeAll { $0.name == "alg" }
        members.append(.init("alg", .string(algorithm)))
        guard let text = String(validating: JSONValue.object(members).serialized, as: UTF8.self),
            let key = try? JWK(json: text), key.privateExponent == nil
        else { throw .refused("the issuer's key cannot be used") }
        return key
    }

    private func check(_ claims: Claims) throws(ASAuthorizationError) {
        guard claims.iss == issuer else { throw .refused("the identity token is from another issuer") }
        guard claims.aud.names.contains(clientID), claims.aud.names.count == 1 || claims.azp != nil,
            claims.azp == nil || claims.azp == clientID
        else { throw .refused("the identity token is for another app") }
        guard claims.exp > now - Self.leeway else { throw .refused("the identity token has expired") }
        guard claims.iat < now + Self.leeway, claims.iat > now - Self.maximumAge,
            (claims.nbf ?? now) <= now + Self.leeway
        else { throw .refused("the identity token is too old, or its time is in the future") }
        guard let said = claims.nonce, Self.isSame(said, nonce) else {
            throw .refused("the identity token is for another sign-in")
        }
        // Core 1.0, section 2.
        guard (1...255).contains(claims.sub.utf8.count) else {
            throw .refused("the identity token has no valid subject")
        }
    }

    /// Compares secrets in constant time.
    static func isSame(_ one: String, _ other: String) -> Bool {
        SHA256.hash(data: Data(one.utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}
