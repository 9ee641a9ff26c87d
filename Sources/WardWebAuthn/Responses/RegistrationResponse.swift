internal import WardCOSE
public import WardText

/// A client's response to a request to create a credential.
///
/// Nothing in it is verified.
///
/// WebAuthn Level 3, [`RegistrationResponseJSON`](https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson).
public struct RegistrationResponse: Hashable, Sendable, Codable {
    /// The credential ID; `id` and `rawId` were equal.
    public var id: CredentialID
    /// The client data as received: these bytes are hashed.
    public var clientDataJSON: [UInt8]
    /// The attestation object as received.
    public var attestationObject: [UInt8]
    /// The transports of the authenticator, according to the client.
    public var transports: [AuthenticatorTransport]
    /// Whether the authenticator is part of the client's device, according to the client.
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// Extension outputs of the client, including unknown ones.
    public var clientExtensionResults: AuthenticationExtensionsClientOutputs

    /// Creates a response.
    public init(
        id: CredentialID,
        clientDataJSON: [UInt8],
        attestationObject: [UInt8],
        transports: [AuthenticatorTransport] = [],
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        clientExtensionResults: AuthenticationExtensionsClientOutputs = .init()
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
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
        attestationObject = try CredentialResponseReader.required(read.attestationObject, "attestationObject")
        transports = read.transports ?? []
        authenticatorAttachment = read.attachment
        clientExtensionResults = read.extensions ?? .init()
    }

    /// The JSON form, as from `toJSON()`.
    ///
    /// It includes the values that a client extracts from a valid attestation object.
    public var json: [UInt8] { value.serialized }

    /// The JSON form.
    public var value: JSONValue {
        var response: [JSONValue.Member] = [.init("clientDataJSON", .string(Base64URL.encode(clientDataJSON)))]
        if let data = try? AttestationObject(attestationObject).authenticatorData {
            response.append(.init("authenticatorData", .string(Base64URL.encode(data.bytes))))
            if let key = data.attestedCredential?.publicKey {
                if let info = try? key.subjectPublicKeyInfo() {
                    response.append(.init("publicKey", .string(Base64URL.encode(info))))
                }
                response.append(.init("publicKeyAlgorithm", .integer(Int64(key.algorithm.rawValue))))
            }
        }
        response.append(.init("transports", .strings(transports)))
        response.append(.init("attestationObject", .string(Base64URL.encode(attestationObject))))
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

extension JSONValue {
    static func credential(
        _ id: CredentialID,
        response: [Member],
        _ attachment: AuthenticatorAttachment?,
        _ extensions: AuthenticationExtensionsClientOutputs
    ) -> JSONValue {
        var members: [Member] = [
            .init("id", .string(id.base64URL)), .init("rawId", .string(id.base64URL)),
            .init("response", .object(response)),
        ]
        if let attachment { members.append(.init("authenticatorAttachment", .string(attachment.rawValue))) }
        members.append(.init("clientExtensionResults", extensions.value))
        members.append(.init("type", "public-key"))
        return .object(members)
    }
}
