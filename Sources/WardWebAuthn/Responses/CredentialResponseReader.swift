internal import WardText

/// Reads the JSON of a credential (`RegistrationResponseJSON` or `AuthenticationResponseJSON`) in one pass.
///
/// A member that stands for bytes must be a string of canonical base64url: no padding, no line breaks, and no other JSON type.
/// While it reads, `place` names the member that it is at, for the error.
struct CredentialResponseReader {
    private(set) var id: [UInt8]?
    private(set) var rawID: [UInt8]?
    private(set) var type: String?
    private(set) var attachment: AuthenticatorAttachment?
    private(set) var extensions: AuthenticationExtensionsClientOutputs?
    private(set) var clientDataJSON: [UInt8]?
    private(set) var attestationObject: [UInt8]?
    private(set) var authenticatorData: [UInt8]?
    private(set) var signature: [UInt8]?
    private(set) var userHandle: [UInt8]?
    private(set) var transports: [AuthenticatorTransport]?

    fileprivate static let names = [
        "id", "rawId", "type", "response", "authenticatorAttachment", "clientExtensionResults",
    ]
    fileprivate static let responseNames = [
        "clientDataJSON", "authenticatorData", "signature", "userHandle", "attestationObject", "transports",
        "publicKey", "publicKeyAlgorithm",
    ]
    private static let members = MemberNames(names)
    private static let responseMembers = MemberNames(responseNames)

    init(_ reader: inout JSONReader, _ input: Span<UInt8>, at place: inout CredentialPlace) throws(JSONError) {
        place = .credential
        var seen = SeenMembers()
        var members = try reader.readObject(input)
        while let name = try reader.nextName(&members, input) {
            let index = try seen.record(name, Self.members, &reader, input)
            if index >= 0 { place = .member(index) }
            switch index {
            case 0: id = try reader.readBase64URL(input)
            case 1: rawID = try reader.readBase64URL(input)
            case 2: type = try reader.readString(input)
            case 3: try readResponse(&reader, input, at: &place)
            case 4:
                if try !reader.readNullIfPresent(input) { attachment = .init(rawValue: try reader.readString(input)) }
            case 5: extensions = try Self.readExtensions(&reader, input)
            default: _ = try reader.skip(input)
            }
            place = .credential
        }
    }

    private mutating func readResponse(
        _ reader: inout JSONReader,
        _ input: Span<UInt8>,
        at place: inout CredentialPlace
    ) throws(JSONError) {
        var seen = SeenMembers()
        var members = try reader.readObject(input)
        while let name = try reader.nextName(&members, input) {
            let index = try seen.record(name, Self.responseMembers, &reader, input)
            if index >= 0 { place = .responseMember(index) }
            switch index {
            case 0: clientDataJSON = try reader.readBase64URL(input)
            case 1: authenticatorData = try reader.readBase64URL(input)
            case 2: signature = try reader.readBase64URL(input)
            case 3: if try !reader.readNullIfPresent(input) { userHandle = try reader.readBase64URL(input) }
            case 4: attestationObject = try reader.readBase64URL(input)
            case 5: transports = try Self.readTransports(&reader, input)
            // Values that the client extracted from the attestation object are ignored; Ward extracts them itself.
            default: _ = try reader.skip(input)
            }
            place = .response
        }
    }

    /// Reads the transports, a hint of the client; an odd list counts as absent, so it does not stop a registration.
    private static func readTransports(
        _ reader: inout JSONReader,
        _ input: Span<UInt8>
    ) throws(JSONError) -> [AuthenticatorTransport] {
        guard try reader.peek(input) == .array else {
            _ = try reader.skip(input)
            return []
        }
        var transports: [AuthenticatorTransport] = []
        var isOdd = false
        var elements = try reader.readArray(input)
        while try reader.nextElement(&elements, input) {
            guard !isOdd, try reader.peek(input) == .string else {
                isOdd = true
                _ = try reader.skip(input)
                continue
            }
            let transport = AuthenticatorTransport(rawValue: try reader.readString(input))
            isOdd = transports.count >= 16 || transport.rawValue.utf8.count > 32
            if !isOdd, !transports.contains(transport) { transports.append(transport) }
        }
        return isOdd ? [] : transports
    }

    private static func readExtensions(
        _ reader: inout JSONReader,
        _ input: Span<UInt8>
    ) throws(JSONError) -> AuthenticationExtensionsClientOutputs {
        guard case .object(let members) = try JSONValue(reading: &reader, input) else {
            throw JSONError(.wrongType, at: reader.offset)
        }
        return .init(members)
    }

    /// The credential ID, which `id` and `rawId` both contain.
    func credentialID() throws(WebAuthnError) -> CredentialID {
        guard let id else { throw WebAuthnError(.missingMember, "credential.id") }
        guard let rawID else { throw WebAuthnError(.missingMember, "credential.rawId") }
        guard id == rawID else { throw WebAuthnError(.identifierMismatch, "id and rawId differ") }
        guard let credentialID = CredentialID(id) else {
            throw WebAuthnError(.valueOutOfRange, "a credential ID must have 1 to 1,023 bytes, not \(id.count)")
        }
        guard let type else { throw WebAuthnError(.missingMember, "credential.type") }
        guard type == "public-key" else { throw WebAuthnError(.wrongType, "credential.type is not public-key") }
        return credentialID
    }

    static func required(_ bytes: [UInt8]?, _ name: String) throws(WebAuthnError) -> [UInt8] {
        guard let bytes else { throw WebAuthnError(.missingMember, "credential.response.\(name)") }
        return bytes
    }
}

/// Where in the JSON a reader is, for an error.
///
/// Members are numbers, because a name that is put together or retained for each member costs more than reading it.
enum CredentialPlace {
    case body, ceremony, credential, response, passkeyName
    case member(Int)
    case responseMember(Int)

    /// The path of the member, as an error names it.
    var path: String {
        switch self {
        case .body: "body"
        case .ceremony: "ceremony"
        case .credential: "credential"
        case .response: "credential.response"
        case .passkeyName: "passkeyName"
        case .member(let index): "credential.\(CredentialResponseReader.names[index])"
        case .responseMember(let index): "credential.response.\(CredentialResponseReader.responseNames[index])"
        }
    }
}
