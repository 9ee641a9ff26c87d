public import WardText

/// A relying party's request to use a credential, in its JSON form.
///
/// WebAuthn Level 3, [§5.5](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptions) and
/// [`PublicKeyCredentialRequestOptionsJSON`](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptionsjson).
public struct PublicKeyCredentialRequestOptions: Hashable, WebAuthnJSON {
    /// The challenge, which ties the answer to this request.
    public var challenge: Challenge
    /// How long the client should wait, in milliseconds; a hint.
    public var timeout: Int64?
    /// The RP ID; `nil` means the caller's own host.
    public var rpID: String?
    /// The allowed credentials; an empty list allows any discoverable one.
    public var allowCredentials: [PublicKeyCredentialDescriptor]
    /// Whether user verification is wanted.
    public var userVerification: UserVerificationRequirement
    /// The kinds of authenticator that the person will probably use, best first.
    public var hints: [PublicKeyCredentialHint]
    /// Extension inputs, including unknown ones.
    public var extensions: AuthenticationExtensionsClientInputs

    /// Creates options from the required values; the rest has safe defaults.
    public init(
        challenge: Challenge,
        timeout: Int64? = nil,
        rpID: String?,
        allowCredentials: [PublicKeyCredentialDescriptor] = [],
        userVerification: UserVerificationRequirement = .required,
        hints: [PublicKeyCredentialHint] = [],
        extensions: AuthenticationExtensionsClientInputs = .init()
    ) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpID = rpID
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
        self.hints = hints
        self.extensions = extensions
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "publicKey")
        challenge = try members.challenge()
        timeout = try members.optionalInteger("timeout")
        rpID = try members.optionalString("rpId")
        allowCredentials = try members.descriptors("allowCredentials")
        userVerification = .init(rawValue: try members.optionalString("userVerification") ?? "preferred")
        hints = try members.strings("hints")
        extensions =
            try members.value("extensions").map { value throws(WebAuthnError) in
                try AuthenticationExtensionsClientInputs(value)
            } ?? .init()
    }

    /// The JSON form.
    public var value: JSONValue {
        var members: [JSONValue.Member] = [.init("challenge", .string(challenge.base64URL))]
        if let timeout { members.append(.init("timeout", .integer(timeout))) }
        if let rpID { members.append(.init("rpId", .string(rpID))) }
        members.append(.init("allowCredentials", .array(allowCredentials.map(\.value))))
        members.append(.init("userVerification", .string(userVerification.rawValue)))
        members.append(.init("hints", .strings(hints)))
        members.append(.init("extensions", extensions.value))
        return .object(members)
    }
}
