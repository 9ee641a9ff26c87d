internal import Crypto
public import WardRelyingParty
internal import WardWebAuthn

/// The format `android-safetynet`: Google vouches for a phone as a whole, not for the key.
///
/// Deprecated, and Google's service has been switched off: no new statements come, but recorded ones can be judged.
///
/// WebAuthn Level 3, [§8.5](https://www.w3.org/TR/webauthn-3/#sctn-android-safetynet-attestation).
public struct AndroidSafetyNetAttestation: AttestationFormat {
    /// `android-safetynet`.
    public var identifier: String { "android-safetynet" }

    /// How old a response may be, in seconds.
    public var maximumAge: Int64
    /// How far its clock may be ahead, in seconds.
    public var maximumClockSkew: Int64

    /// Takes part in `AttestationFormats`.
    public init(maximumAge: Int64 = 60, maximumClockSkew: Int64 = 10) {
        self.maximumAge = max(0, maximumAge)
        self.maximumClockSkew = max(0, maximumClockSkew)
    }

    /// Runs the verification procedure.
    ///
    /// - Parameter statement: The statement and what it speaks of.
    /// - Returns: The certificates of the response.
    /// - Throws: `AttestationError` naming the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-android-safetynet-attestation: "Verify that attStmt is valid CBOR conforming to the syntax".
        let members = try StatementMembers(statement.statement, required: [.version, .response], section: "§8.5")
        // "Verify that response is a valid SafetyNet response of version ver"; "ver is reserved for future use".
        guard !members.version.isEmpty else { throw AttestationError("§8.5: ver is empty") }
        let response: SafetyNetResponse
        let certificate: AttestationCertificate
        do {
            let signature = try JSONWebSignature(members.response)
            response = try SafetyNetResponse(signature)
            certificate = try signature.checkSignature()
        } catch {
            throw AttestationError("§8.5: response: \(error)")
        }
        // "Verify that the nonce attribute in the payload of response is identical to the Base64 encoding of the SHA-256
        // hash of the concatenation of authenticatorData and clientDataHash."
        let hash = Array(SHA256.hash(data: statement.signedBytes))
        guard response.nonce == JSONWebSignature.encodeBase64(hash) else {
            throw AttestationError("§8.5: the nonce is that of another ceremony")
        }
        // "Verify that the SafetyNet response actually came from the SafetyNet service": SafetyNet's documentation has the
        // leaf issued to attest.android.com; the chain is judged with the other formats' (step 24 of §7.1).
        let hosts = certificate.alternativeNames.hosts
        let names = hosts.isEmpty ? [certificate.subject.commonName ?? ""] : hosts
        guard names.contains(where: { $0.lowercased() == "attest.android.com" }) else {
            throw AttestationError("§8.5: the certificate is not issued to attest.android.com")
        }
        // The same: "ctsProfileMatch" and "basicIntegrity" say that the device is sound; the former implies the latter.
        guard response.ctsProfileMatch, response.basicIntegrity != false else {
            throw AttestationError("§8.5: the device's integrity is not vouched for")
        }
        // The same: the response is recent.
        let age = statement.now - response.timestamp
        guard -maximumClockSkew <= age, age <= maximumAge else {
            throw AttestationError("§8.5: the response was made \(age) seconds ago")
        }
        return .certificates(response.certificates)
    }
}

/// What SafetyNet says of a phone.
public struct SafetyNetResponse: Hashable, Sendable {
    /// Base64 of what the caller wanted to have signed.
    public let nonce: String
    /// When it was made, in seconds since 1970.
    public let timestamp: Int64
    /// The app that asked.
    public let packageName: String?
    /// Whether the device is one that Google certified, and unchanged.
    public let ctsProfileMatch: Bool
    /// Whether the device is at least not tampered with; older responses do not say.
    public let basicIntegrity: Bool?
    /// The certificates of the response in DER.
    public let certificates: [[UInt8]]

    init(_ signature: JSONWebSignature) throws(JSONWebSignatureError) {
        guard let payload = try? JSONValue(signature.payload) else {
            throw JSONWebSignatureError("the payload is no JSON")
        }
        guard let nonce = payload["nonce"]?.stringValue else { throw JSONWebSignatureError("nonce is missing") }
        guard let milliseconds = payload["timestampMs"]?.integerValue, milliseconds >= 0 else {
            throw JSONWebSignatureError("timestampMs is missing")
        }
        guard let ctsProfileMatch = payload["ctsProfileMatch"]?.boolValue else {
            throw JSONWebSignatureError("ctsProfileMatch is missing")
        }
        self.nonce = nonce
        timestamp = milliseconds / 1000
        packageName = payload["apkPackageName"]?.stringValue
        self.ctsProfileMatch = ctsProfileMatch
        basicIntegrity = payload["basicIntegrity"]?.boolValue
        certificates = signature.certificates
    }
}
