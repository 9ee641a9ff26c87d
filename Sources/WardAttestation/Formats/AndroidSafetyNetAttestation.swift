internal import Crypto
public import WardRelyingParty
internal import WardText

/// The format `android-safetynet`: Google attests a phone as a whole, not the key.
///
/// It is deprecated, and Google has switched its service off: no new statements are made, but recorded ones can be
/// verified.
///
/// WebAuthn Level 3, [§8.5](https://www.w3.org/TR/webauthn-3/#sctn-android-safetynet-attestation).
public struct AndroidSafetyNetAttestation: AttestationFormat {
    /// `android-safetynet`.
    public var identifier: String { "android-safetynet" }

    /// The maximum age of a response, in seconds.
    public var maximumAge: Int64
    /// The maximum difference of its clock into the future, in seconds.
    public var maximumClockSkew: Int64

    /// Creates the format, for `AttestationFormats`.
    public init(maximumAge: Int64 = 60, maximumClockSkew: Int64 = 10) {
        self.maximumAge = max(0, maximumAge)
        self.maximumClockSkew = max(0, maximumClockSkew)
    }

    /// Runs the verification procedure.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificates of the response.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
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
        guard response.nonce == Base64.encode(hash) else {
            throw AttestationError("§8.5: the nonce is for another ceremony")
        }
        // "Verify that the SafetyNet response actually came from the SafetyNet service": according to SafetyNet's
        // documentation, the leaf is issued to attest.android.com. The chain is judged as for other formats (step 24 of
        // §7.1).
        let hosts = certificate.alternativeNames.hosts
        let names = hosts.isEmpty ? [certificate.subject.commonName ?? ""] : hosts
        guard names.contains(where: { $0.lowercased() == "attest.android.com" }) else {
            throw AttestationError("§8.5: the certificate is not issued to attest.android.com")
        }
        // The same rule: "ctsProfileMatch" and "basicIntegrity" state that the device is unmodified; the former implies the
        // latter.
        guard response.ctsProfileMatch, response.basicIntegrity != false else {
            throw AttestationError("§8.5: the response does not confirm the device's integrity")
        }
        // The same rule: the response must be recent.
        let age = statement.now - response.timestamp
        guard -maximumClockSkew <= age, age <= maximumAge else {
            throw AttestationError("§8.5: the response was made \(age) seconds ago")
        }
        return .certificates(response.certificates)
    }
}

/// SafetyNet's response about a phone.
public struct SafetyNetResponse: Hashable, Sendable {
    /// Base64 of the bytes that the caller wanted signed.
    public let nonce: String
    /// The time of the response, in seconds since 1970.
    public let timestamp: Int64
    /// The requesting app.
    public let packageName: String?
    /// Whether the device is certified by Google and unmodified.
    public let ctsProfileMatch: Bool
    /// Whether the device is at least unmodified; `nil` in older responses.
    public let basicIntegrity: Bool?
    /// The certificates of the response in DER.
    public let certificates: [[UInt8]]

    init(_ signature: JSONWebSignature) throws(JSONWebSignatureError) {
        guard let payload = try? JSONValue(signature.payload) else {
            throw JSONWebSignatureError("the payload is not JSON")
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
