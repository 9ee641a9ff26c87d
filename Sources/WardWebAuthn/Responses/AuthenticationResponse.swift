public import WardText

/// A client's response to a request to use a credential.
///
/// Nothing in it is verified.
///
/// WebAuthn Level 3,
/// [`AuthenticationResponseJSON`](https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson).
public struct AuthenticationResponse: Hashable, Sendable, Codable {
    /// The credential ID; `id` and `rawId` were equal.
    public var id: CredentialID
    /// The client data as received: these bytes are hashed.
    public var clientDataJSON: [UInt8]
    /// The authenticator data as received: these bytes are signed.
    public var authenticatorData: [UInt8]
    /// The signature over authenticator data and the client data's hash.
    public var signature: [UInt8]
    /// The user handle of the credential, according to the authenticator.
    ///
    /// Discoverable credentials always have it.
    public var userHandle: UserHandle?
    /// Whether the authenticator is part of the client's device, according to the client.
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// Extension outputs of the client, including unknown ones.
    public var clientExtensionResults: AuthenticationExtensionsClientOutputs

    /// Creates a response.
    public init(
        id: CredentialID,
        clientDataJSON: [UInt8],
        authenticatorData: [UInt8],
        signature: [UInt8],
        userHandle: UserHandle? = nil,
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        clientExtensionResults: AuthenticationExtensionsClientOutputs = .init()
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.authenticatorAttachment = authenticatorAttachment
        self.clientExtensionResults = clientExtensionResults
    }

    /// Reads the JSON form in one pass.
    ///
    /// - Parameter json: UTF-8 text. Limit its size first; 64 KiB is enough.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(json: [UInt8]) throws(WebAuthnError) {
        var place = CredentialPlace.credential
        do {
            let input = json.span
            var reader = JSONReader()
            let read = try CredentialResponseReader(&reader, input, at: &place)
            try reader.finish(input)
            try self.init(read)
        } catch let error as JSONError {
            throw WebAuthnError(error, in: place.path)
        } catch let error as WebAuthnError {
            throw error
        } catch {
            throw WebAuthnError(.malformedJSON, place.path)
        }
    }

    init(_ read: CredentialResponseReader) throws(WebAuthnError) {
        id = try read.credentialID()
        clientDataJSON = try CredentialResponseReader.required(read.clientDataJSON, "clientDataJSON")
        authenticatorData = try CredentialResponseReader.required(read.authenticatorData, "authenticatorData")
        signature = try CredentialResponseReader.required(read.signature, "signature")
        // Some authenticators send an empty user handle instead of none (bug class 34).
        if let bytes = read.userHandle, !bytes.isEmpty {
            guard let handle = UserHandle(bytes) else {
                throw WebAuthnError(.valueOutOfRange, "a user handle must have 1 to 64 bytes, not \(bytes.count)")
            }
            userHandle = handle
        } else {
            userHandle = nil
        }
        authenticatorAttachment = read.attachment
        clientExtensionResults = read.extensions ?? .init()
    }

    /// The JSON form, as from `toJSON()`.
    public var json: [UInt8] { value.serialized }

    /// The JSON form.
    public var value: JSONValue {
        var response: [JSONValue.Member] = [
            .init("clientDataJSON", .string(Base64URL.encode(clientDataJSON))),
            .init("authenticatorData", .string(Base64URL.encode(authenticatorData))),
            .init("signature", .string(Base64URL.encode(signature))),
        ]
        if let userHandle { response.append(.init("userHandle", .string(userHandle.base64URL))) }
        return .credential(id, response: response, authenticatorAttachment, clientExtensionResults)
    }

    /// Reads the JSON form through a decoder.
    ///
    /// - Parameter decoder: A decoder of any format with JSON's shapes.
    /// - Throws: The decoder's errors, or ``WebAuthnError``.
    public init(from decoder: any Decoder) throws {
        try self.init(json: try JSONValue(from: decoder).serialized)
    }

    /// Writes the JSON form through an encoder.
    ///
    /// - Parameter encoder: An encoder of any format with JSON's shapes.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
