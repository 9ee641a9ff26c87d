internal import WardCBOR
internal import WardCOSE
internal import WardDomains
internal import WardText
internal import WardWebAuthn

/// A property of each parser that must be true for all input: it returns a value or throws, within its limits.
///
/// A value that it accepts is encoded with the same meaning.
///
/// The fuzzers search for violations, and the tests replay their findings.
public enum ParserProperty: String, CaseIterable, Sendable {
    /// Canonical CBOR decodes to a value that encodes to the same bytes.
    case cbor
    /// A decoded COSE key keeps its bytes, and these bytes decode to the same key.
    case cose
    /// Parsed client data is serialized to JSON that parses to the same value. The parser also accepts everything that the
    /// template accepts.
    case clientData = "client-data"
    /// Parsed authenticator data keeps its bytes; its parts are inside them.
    case authenticatorData = "authenticator-data"
    /// A decoded attestation object keeps its bytes, and its parts decode again.
    case attestationObject = "attestation-object"
    /// Parsed JSON is serialized to JSON that parses to the same value. The reader that skips values and the reader that builds
    /// them agree.
    case json
    /// A parsed response writes JSON that parses to the same response.
    case response
    /// A parsed origin is written in exactly the same form.
    case origin
    /// A parsed certificate keeps its bytes, and every property returns a value.
    case certificate
    /// The structures of a TPM are read to their last byte.
    case tpm
    /// A signed text is parsed or refused. A text without a signature never verifies.
    case signedText = "signed-text"
    /// A statement of any format is verified or refused, and its description can be built.
    case statement

    /// A violation of a property.
    public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
        /// The parser.
        public let property: ParserProperty
        /// What is wrong.
        public let description: String
    }

    /// Runs the parser on `input`.
    ///
    /// - Parameter input: Any bytes.
    /// - Throws: ``Violation`` if the property does not hold. Errors of the parser itself are not violations.
    public func check(_ input: [UInt8]) throws(Violation) {
        switch self {
        case .cbor: try checkCBOR(input)
        case .cose: try checkCOSE(input)
        case .clientData: try checkClientData(input)
        case .authenticatorData: try checkAuthenticatorData(input)
        case .attestationObject: try checkAttestationObject(input)
        case .json: try checkJSON(input)
        case .response: try checkResponse(input)
        case .origin: try checkOrigin(input)
        case .certificate: try checkCertificate(input)
        case .tpm: checkTPM(input)
        case .signedText: try checkSignedText(input)
        case .statement: checkStatement(input)
        }
    }

    func require(_ condition: Bool, _ description: String) throws(Violation) {
        guard condition else { throw Violation(property: self, description: description) }
    }

    private func checkCBOR(_ input: [UInt8]) throws(Violation) {
        guard let value = try? CBORValue.decode(input, rules: .webAuthn) else { return }
        try require(value.encoded() == input, "what was accepted encodes to other bytes")
        var reader = CBORReader(rules: .webAuthn)
        let skipped = try? reader.skip(input.span)
        try require(skipped == 0..<input.count, "skipping and decoding disagree")
    }

    private func checkCOSE(_ input: [UInt8]) throws(Violation) {
        guard let key = try? COSEKey(input) else { return }
        try require(key.encoded == input, "the key's bytes were not kept")
        // The import of a key returns or throws. An empty signature is never valid.
        guard let imported = try? key.verificationKey() else { return }
        try require(!imported.isValid(signature: [], for: input), "an empty signature holds")
    }

    private func checkClientData(_ input: [UInt8]) throws(Violation) {
        let parsed = try? CollectedClientData(parsing: input)
        let challenge = [UInt8](repeating: 7, count: 32)
        let template = ClientDataTemplate(type: "webauthn.get", origin: "https://example.com")
        if template.matches(input.span, challenge: challenge) {
            try require(parsed?.type == "webauthn.get", "the template takes what the parser does not")
            try require(parsed?.challenge == Base64URL.encode(challenge), "the template takes another challenge")
            try require(parsed?.origin == "https://example.com", "the template takes another origin")
            try require(parsed?.crossOrigin == false && parsed?.topOrigin == nil, "the template takes a frame")
        }
        guard let parsed else { return }
        guard let again = try? CollectedClientData(parsing: parsed.serialized) else {
            throw Violation(property: self, description: "its own serialization cannot be parsed")
        }
        try require(again.type == parsed.type && again.challenge == parsed.challenge, "type or challenge changed")
        try require(again.origin == parsed.origin && again.topOrigin == parsed.topOrigin, "an origin changed")
    }

    private func checkAuthenticatorData(_ input: [UInt8]) throws(Violation) {
        guard let data = try? AuthenticatorData(input) else { return }
        try require(data.bytes == input, "the signed bytes were not kept")
        let credential = data.attestedCredential
        let parts = 37 + (credential.map { 18 + $0.credentialID.count + $0.publicKey.encoded.count } ?? 0)
        try require(parts + (data.extensions?.count ?? 0) == input.count, "the parts do not add up")
    }

    private func checkAttestationObject(_ input: [UInt8]) throws(Violation) {
        guard let object = try? AttestationObject(input) else { return }
        try require(object.bytes == input, "the bytes were not kept")
        try require((try? CBORValue.decode(object.statement, rules: .webAuthn)) != nil, "the statement does not read")
        let again = try? AttestationObject(
            AttestationObject.assemble(
                format: object.format,
                statement: object.statement,
                authenticatorData: object.authenticatorData.bytes
            )
        )
        try require(again?.authenticatorData == object.authenticatorData, "its own assembly reads otherwise")
    }

    private func checkJSON(_ input: [UInt8]) throws(Violation) {
        var reader = JSONReader()
        let skipped = (try? reader.skip(input.span)) != nil && (try? reader.finish(input.span)) != nil
        guard let value = try? JSONValue(input) else { return }
        try require(skipped, "what builds does not skip")
        // A value with too many parts may fail when it is written. Every other value parses to itself.
        if let again = try? JSONValue(value.serialized) { try require(again == value, "it reads back otherwise") }
    }

    private func checkResponse(_ input: [UInt8]) throws(Violation) {
        if let response = try? RegistrationResponse(json: input) {
            try require((try? RegistrationResponse(json: response.json)) == response, "a registration reads otherwise")
        }
        if let response = try? AuthenticationResponse(json: input) {
            try require((try? AuthenticationResponse(json: response.json)) == response, "a sign-in reads otherwise")
        }
        _ = try? CredentialEnvelope<RegistrationResponse>(registration: input)
        _ = try? CredentialEnvelope<AuthenticationResponse>(authentication: input)
        _ = try? PublicKeyCredentialCreationOptions(json: input)
        _ = try? PublicKeyCredentialRequestOptions(json: input)
    }

    private func checkOrigin(_ input: [UInt8]) throws(Violation) {
        let text = String(decoding: input, as: UTF8.self)
        if let origin = try? Origin(text) { try require(origin.description == text, "it is written otherwise") }
        if let id = try? RelyingPartyID(text) { try require(id.description == text, "an RP ID is written otherwise") }
    }
}
