public import WardText

/// A relying party's request to create a credential, in its JSON form.
///
/// WebAuthn Level 3, [§5.4](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptions) and
/// [`PublicKeyCredentialCreationOptionsJSON`](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson).
public struct PublicKeyCredentialCreationOptions: Hashable, WebAuthnJSON {
    /// The relying party.
    public var rp: PublicKeyCredentialRpEntity
    /// The account.
    public var user: PublicKeyCredentialUserEntity
    /// The challenge, which ties the answer to this request.
    public var challenge: Challenge
    /// The accepted key types, best first.
    public var pubKeyCredParams: [PublicKeyCredentialParameters]
    /// How long the client should wait, in milliseconds; a hint.
    public var timeout: Int64?
    /// Credentials of this account.
    ///
    /// An authenticator that has one of them creates no other.
    public var excludeCredentials: [PublicKeyCredentialDescriptor]
    /// The authenticators that may be used.
    public var authenticatorSelection: AuthenticatorSelectionCriteria?
    /// The kinds of authenticator that the person will probably use, best first.
    public var hints: [PublicKeyCredentialHint]
    /// The requested attestation.
    public var attestation: AttestationConveyancePreference
    /// The wanted attestation formats, best first; a hint.
    public var attestationFormats: [String]
    /// Extension inputs, including unknown ones.
    public var extensions: AuthenticationExtensionsClientInputs

    /// Creates options from the required values; the rest has the standard's defaults.
    public init(
        rp: PublicKeyCredentialRpEntity,
        user: PublicKeyCredentialUserEntity,
        challenge: Challenge,
        pubKeyCredParams: [PublicKeyCredentialParameters],
        timeout: Int64? = nil,
        excludeCredentials: [PublicKeyCredentialDescriptor] = [],
        authenticatorSelection: AuthenticatorSelectionCriteria? = nil,
        hints: [PublicKeyCredentialHint] = [],
        attestation: AttestationConveyancePreference = .none,
        attestationFormats: [String] = [],
        extensions: AuthenticationExtensionsClientInputs = .init()
    ) {
        self.rp = rp
        self.user = user
        self.challenge = challenge
        self.pubKeyCredParams = pubKeyCredParams
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
        self.hints = hints
        self.attestation = attestation
        self.attestationFormats = attestationFormats
        self.extensions = extensions
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "publicKey")
        rp = try .init(try members.required("rp"))
        user = try .init(try members.required("user"))
        challenge = try members.challenge()
        var parameters: [PublicKeyCredentialParameters] = []
        _ = try members.required("pubKeyCredParams")
        for element in try members.array("pubKeyCredParams") { parameters.append(try .init(element)) }
        pubKeyCredParams = parameters
        timeout = try members.optionalInteger("timeout")
        excludeCredentials = try members.descriptors("excludeCredentials")
        authenticatorSelection = try members.value("authenticatorSelection").map { value throws(WebAuthnError) in
            try AuthenticatorSelectionCriteria(value)
        }
        hints = try members.strings("hints")
        attestation = .init(rawValue: try members.optionalString("attestation") ?? "none")
        var formats: [String] = []
        for element in try members.array("attestationFormats") {
            guard let format = element.stringValue else {
                throw WebAuthnError(.wrongType, "publicKey.attestationFormats must contain only strings")
            }
            formats.append(format)
        }
        attestationFormats = formats
        extensions =
            try members.value("extensions").map { value throws(WebAuthnError) in
                try AuthenticationExtensionsClientInputs(value)
            } ?? .init()
    }

    /// The JSON form.
    public var value: JSONValue {
        var members: [JSONValue.Member] = [
            .init("rp", rp.value), .init("user", user.value), .init("challenge", .string(challenge.base64URL)),
            .init("pubKeyCredParams", .array(pubKeyCredParams.map(\.value))),
        ]
        if let timeout { members.append(.init("timeout", .integer(timeout))) }
        members.append(.init("excludeCredentials", .array(excludeCredentials.map(\.value))))
        if let authenticatorSelection { members.append(.init("authenticatorSelection", authenticatorSelection.value)) }
        members.append(.init("hints", .strings(hints)))
        members.append(.init("attestation", .string(attestation.rawValue)))
        if !attestationFormats.isEmpty {
            members.append(.init("attestationFormats", .array(attestationFormats.map { .string($0) })))
        }
        members.append(.init("extensions", extensions.value))
        return .object(members)
    }
}

extension JSONMembers {
    func challenge() throws(WebAuthnError) -> Challenge {
        guard let challenge = Challenge(try bytes("challenge")) else {
            throw WebAuthnError(.valueOutOfRange, "a challenge must have 16 to 1,024 bytes")
        }
        return challenge
    }

    func descriptors(_ name: String) throws(WebAuthnError) -> [PublicKeyCredentialDescriptor] {
        var descriptors: [PublicKeyCredentialDescriptor] = []
        for element in try array(name) { descriptors.append(try .init(element)) }
        return descriptors
    }
}
