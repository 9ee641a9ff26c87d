import HTTPTypes
import Hummingbird
import WardCOSE
import WardText

/// A browser's proof that it has the key of a session: a signed JSON Web Token.
///
/// Device Bound Session Credentials, [DBSC Proof JWT Syntax](https://w3c.github.io/webappsec-dbsc/#format-jwt). The token comes from a
/// stranger: nothing in it counts before ``check(key:_:)``. Its own time (`iat`) does not count either, because the challenge has the
/// service's.
struct DeviceProof: Sendable {
    /// The algorithms that a browser may choose from, in the order of preference.
    static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .rs256]
    /// The maximum length of a proof; one with a key of RSA-4096 has about 1.6 KiB.
    private static let maximumLength = 8_192

    /// The challenge that was signed.
    let challenge: String
    /// The public key; only a registration has one.
    let key: COSEKey?
    private let algorithm: COSEAlgorithmIdentifier
    private let subject: String?
    private let audience: String?
    private let message: [UInt8]
    private let signature: [UInt8]

    /// Parses a proof, without verifying it.
    ///
    /// - Throws: ``DeviceProofError`` if it is not one, or has an algorithm that the service did not offer.
    init(_ text: String) throws(DeviceProofError) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let payload = Self.object(parts[1]),
            let signature = Base64URL.decode(String(parts[2])), let challenge = payload["jti"]?.stringValue
        else { throw .malformed }
        // No other token that the same key might sign, and no critical extension (RFC 7515, section 4.1.11), counts as a proof.
        guard header["typ"] == "dbsc+jwt", header["crit"] == nil else { throw .type }
        guard let name = header["alg"]?.stringValue, let algorithm = Self.algorithms.first(where: { $0.name == name })
        else { throw .algorithm }
        self.challenge = challenge
        self.algorithm = algorithm
        self.signature = signature
        message = Array("\(parts[0]).\(parts[1])".utf8)
        do {
            // Browsers send the key in the header; the draft has it in the payload.
            key = try (header["jwk"] ?? payload["key"]).map { try COSEKey(jwk: $0, algorithm: algorithm) }
        } catch { throw .key }
        (subject, audience) = (payload["sub"]?.stringValue, payload["aud"]?.stringValue)
        guard payload["sub"] == nil || subject != nil, payload["aud"] == nil || audience != nil else {
            throw .malformed
        }
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(String(part)), let value = try? JSONValue(bytes), value.objectValue != nil
        else { return nil }
        return value
    }

    /// Verifies the proof.
    ///
    /// The caller has checked the challenge.
    ///
    /// - Parameters:
    ///   - key: The key that must have signed: the registered one, or the proof's own in a registration.
    ///   - session: The ID of the session that the proof must be about, where it names one.
    ///   - address: The address that the proof must be for, where it names one.
    /// - Throws: ``DeviceProofError``.
    func check(key: COSEKey, session: String?, address: String) throws(DeviceProofError) {
        // The algorithm is the one of the key. The header cannot change it.
        guard key.algorithm == algorithm else { throw .algorithm }
        guard subject == nil || subject == session else { throw .subject }
        guard audience == nil || audience == address else { throw .audience }
        guard let verification = try? key.verificationKey() else { throw .key }
        guard verification.isValid(jws: signature, for: message) else { throw .signature }
    }
}

/// Why a proof is refused, for the log.
enum DeviceProofError: String, Error, Sendable {
    case malformed, type, algorithm, key, challenge, subject, audience, signature
}

extension Request {
    /// The string in a header field that is a structured field with one string (RFC 9651, section 3.3.3).
    ///
    /// Browsers send it without quotes too. Parameters are ignored. The values that the service knows have no escapes.
    func structuredString(_ name: HTTPField.Name) -> String? {
        guard let value = headers.only(name) else { return nil }
        guard value.hasPrefix("\"") else {
            return String(value.prefix { $0 != ";" }.trimmingSpace())
        }
        let parts = value.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty || parts[2].hasPrefix(";") else { return nil }
        return String(parts[1])
    }
}
