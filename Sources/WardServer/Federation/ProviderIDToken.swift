import Crypto
package import WardCOSE
import WardText

/// What an ID token must say: the service's request for it.
package struct IDTokenExpectation: Sendable {
    /// The provider's issuer.
    package let issuer: String
    /// The ID that this service has at the provider.
    package let clientID: String
    /// The nonce of the sign-in.
    package let nonce: String
    /// The access token that came with the ID token.
    package let accessToken: String?

    package init(issuer: String, clientID: String, nonce: String, accessToken: String?) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.accessToken = accessToken
    }
}

/// An ID token of an identity provider, parsed but not verified.
///
/// Nothing in it counts before ``verified(with:for:at:)``.
package struct ProviderIDToken: Sendable {
    /// The accepted algorithms: a fixed list ([RFC 8725, section 3.1](https://www.rfc-editor.org/rfc/rfc8725#section-3.1)).
    ///
    /// Signatures with the client secret are not accepted, and neither are unsigned tokens.
    package static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .rs256, .ps256, .edDSA]
    /// The longest token, in bytes.
    package static let maximumLength = 16_384
    /// The tolerated difference between the provider's clock and this one, in seconds.
    package static let leeway: Int64 = 60
    /// The maximum age of a token, in seconds: as long as a person may take for a sign-in.
    package static let maximumAge: Int64 = 600
    /// The longest subject, in ASCII characters: OpenID Connect Core 1.0,
    /// [section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken).
    package static let maximumSubject = 255

    /// The ID of the key that signed.
    package let keyID: String?
    /// The algorithm of the signature.
    package let algorithm: COSEAlgorithmIdentifier
    private let claims: JSONValue
    private let message: [UInt8]
    private let signature: [UInt8]

    /// Parses a token in compact form.
    ///
    /// An encrypted token has five parts and is refused: the service asks for none.
    ///
    /// - Throws: ``FederationRefusal/tokenUnreadable``, ``FederationRefusal/tokenAlgorithm`` or
    ///   ``FederationRefusal/tokenExtension``.
    package init(_ text: String) throws(FederationRefusal) {
        guard text.utf8.count <= Self.maximumLength else { throw .tokenUnreadable }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(String(parts[2]))
        else { throw .tokenUnreadable }
        guard let name = header["alg"]?.stringValue, let algorithm = Self.algorithms.first(where: { $0.name == name })
        else { throw .tokenAlgorithm }
        // Critical extensions must be understood, and none is (RFC 7515, section 4.1.11).
        guard header["crit"] == nil else { throw .tokenExtension }
        guard header["kid"] == nil || header["kid"]?.stringValue != nil else { throw .tokenUnreadable }
        keyID = header["kid"]?.stringValue
        self.algorithm = algorithm
        self.claims = claims
        self.signature = signature
        message = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(String(part)), let value = try? JSONValue(bytes), value.objectValue != nil
        else { return nil }
        return value
    }

    /// Verifies the token: OpenID Connect Core 1.0,
    /// [section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation).
    ///
    /// Steps 1 (encryption) and 12 to 13 (`acr`, `auth_time`) have nothing to check, because the service asks for none of them.
    ///
    /// - Parameters:
    ///   - keys: The provider's keys.
    ///   - expected: What the token must say.
    ///   - now: Seconds since 1970.
    /// - Returns: Who signed in.
    /// - Throws: ``FederationRefusal`` for the first check that fails.
    package func verified(
        with keys: ProviderKeys,
        for expected: IDTokenExpectation,
        at now: Int64
    ) throws(FederationRefusal) -> FederatedIdentity {
        // Steps 6 to 8. The signature comes first, so that nothing unsigned is looked at.
        let key = try keys.key(keyID, for: algorithm)
        guard let verification = try? key.verificationKey() else { throw .keyUnusable }
        guard verification.isValid(jws: signature, for: message) else { throw .tokenSignature }
        // Step 2.
        guard let issuer = claims["iss"]?.stringValue, issuer.isSame(as: expected.issuer) else { throw .tokenIssuer }
        // Step 3. This service trusts no other audience, so there must be none.
        guard let audience = claims["aud"], Self.isOnly(expected.clientID, in: audience) else { throw .tokenAudience }
        // Steps 4 and 5.
        if let party = claims["azp"] {
            guard party.stringValue?.isSame(as: expected.clientID) == true else { throw .tokenAudience }
        }
        // Step 9.
        guard let expiry = Self.seconds(claims["exp"]), expiry > now - Self.leeway else { throw .tokenExpired }
        // Step 10.
        guard let issuedAt = Self.seconds(claims["iat"]), issuedAt <= now + Self.leeway,
            issuedAt >= now - Self.maximumAge - Self.leeway
        else { throw .tokenTime }
        if let notBefore = claims["nbf"] {
            guard let notBefore = Self.seconds(notBefore), notBefore <= now + Self.leeway else { throw .tokenTime }
        }
        // Step 11.
        guard let nonce = claims["nonce"]?.stringValue, nonce.isSame(as: expected.nonce) else { throw .tokenNonce }
        // Section 3.1.3.8.
        if let hash = claims["at_hash"] { try check(hash, of: expected.accessToken) }
        // Section 2.
        guard let subject = claims["sub"]?.stringValue, (1...Self.maximumSubject).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw .tokenSubject }
        let label = claims["email"]?.stringValue ?? claims["name"]?.stringValue
        return FederatedIdentity(issuer: issuer, subject: subject, label: label)
    }

    /// Whether an audience is one client and no other.
    private static func isOnly(_ clientID: String, in audience: JSONValue) -> Bool {
        let names = audience.arrayValue ?? [audience]
        return !names.isEmpty && names.allSatisfy { $0.stringValue?.isSame(as: clientID) == true }
    }

    /// The seconds of a time, which may have a fraction (RFC 7519, section 2).
    private static func seconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let seconds)?: seconds
        case .number(let seconds)? where abs(seconds) < 1e15: Int64(seconds.rounded(.down))
        default: nil
        }
    }

    /// Compares the left half of the hash of the access token.
    private func check(_ hash: JSONValue, of accessToken: String?) throws(FederationRefusal) {
        guard let accessToken, let found = hash.base64URLValue else { throw .tokenAccessHash }
        let bytes = Array(accessToken.utf8)
        // EdDSA hashes with SHA-512 (RFC 8032, section 5.1); all others here with SHA-256.
        let whole = algorithm == .edDSA ? Array(SHA512.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
        guard isEqualInConstantTime(found, Array(whole.prefix(whole.count / 2))) else { throw .tokenAccessHash }
    }
}

extension String {
    /// Whether two texts have the same bytes, compared in constant time for texts of the same length.
    ///
    /// Texts that differ by a character's composition are equal as strings of Swift.
    func isSame(as other: String) -> Bool { isEqualInConstantTime(Array(utf8), Array(other.utf8)) }
}
