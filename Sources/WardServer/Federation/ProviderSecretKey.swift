import Crypto
import WardText

/// A key that signs the token which some providers want in place of a client secret.
///
/// Apple: [Creating a client secret](https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret).
package struct ProviderSecretKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// How long a token is valid, in seconds.
    package static let lifetime: Int64 = 300

    private let key: P256.Signing.PrivateKey
    private let keyID: String
    private let teamID: String
    private let clientID: String
    private let audience: String

    /// Reads a private key, or returns `nil` if it is not one for ES256.
    ///
    /// - Parameters:
    ///   - pem: The key as the provider gave it.
    ///   - keyID: The ID of the key.
    ///   - teamID: The issuer of the token: the team's ID.
    ///   - clientID: The subject of the token.
    ///   - issuer: The audience of the token: the provider.
    package init?(pem: [UInt8], keyID: String, teamID: String, clientID: String, issuer: String) {
        guard pem.count <= 16_384, let text = String(validating: pem, as: UTF8.self),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: text)
        else { return nil }
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.clientID = clientID
        audience = issuer
    }

    /// A token for one request.
    ///
    /// - Throws: The cryptographic library's errors.
    package func token(at now: Int64) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
        let claims: JSONValue = [
            "iss": .string(teamID), "iat": .integer(now), "exp": .integer(now + Self.lifetime),
            "aud": .string(audience), "sub": .string(clientID),
        ]
        let message = "\(Base64URL.encode(header.serialized)).\(Base64URL.encode(claims.serialized))"
        let signature = try key.signature(for: Array(message.utf8))
        return "\(message).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }

    package var description: String { "ProviderSecretKey(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
