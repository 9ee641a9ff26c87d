public import WardCOSE
public import WardText

/// The relying party for display by the client.
///
/// WebAuthn Level 3, [§5.4.2](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrpentity).
public struct PublicKeyCredentialRpEntity: Hashable, WebAuthnJSON {
    /// The RP ID; `nil` means the caller's own host.
    public var id: String?
    /// The name; deprecated by Level 3, but clients still require it.
    public var name: String

    /// Creates a relying party entity.
    public init(id: String?, name: String) {
        self.id = id
        self.name = name
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "rp")
        id = try members.optionalString("id")
        name = try members.string("name")
    }

    /// The JSON form.
    public var value: JSONValue {
        .object((id.map { [.init("id", .string($0))] } ?? []) + [.init("name", .string(name))])
    }
}

/// The account of a new credential.
///
/// WebAuthn Level 3, [§5.4.3](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialuserentity).
public struct PublicKeyCredentialUserEntity: Hashable, WebAuthnJSON {
    /// The user handle.
    ///
    /// It must not be a name.
    public var id: UserHandle
    /// The user name, which distinguishes accounts in a list.
    public var name: String
    /// The display name; may be empty.
    public var displayName: String

    /// Creates a user entity.
    public init(id: UserHandle, name: String, displayName: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "user")
        guard let id = UserHandle(try members.bytes("id")) else {
            throw WebAuthnError(.valueOutOfRange, "user.id must have 1 to 64 bytes")
        }
        self.id = id
        name = try members.string("name")
        displayName = try members.string("displayName")
    }

    /// The JSON form.
    public var value: JSONValue {
        ["id": .string(id.base64URL), "name": .string(name), "displayName": .string(displayName)]
    }
}

/// Identifies a credential.
///
/// WebAuthn Level 3, [§5.8.3](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialdescriptor).
public struct PublicKeyCredentialDescriptor: Hashable, WebAuthnJSON {
    /// The credential type; currently always `public-key`.
    public var type: String
    /// The credential ID.
    public var id: CredentialID
    /// The transports at registration.
    public var transports: [AuthenticatorTransport]

    /// Creates a descriptor of a public-key credential.
    public init(id: CredentialID, transports: [AuthenticatorTransport] = []) {
        type = "public-key"
        self.id = id
        self.transports = transports
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "descriptor")
        type = try members.string("type")
        guard let id = CredentialID(try members.bytes("id")) else {
            throw WebAuthnError(.valueOutOfRange, "a credential ID must have 1 to 1,023 bytes")
        }
        self.id = id
        transports = try members.strings("transports")
    }

    /// The JSON form.
    public var value: JSONValue {
        var members: [JSONValue.Member] = [.init("type", .string(type)), .init("id", .string(id.base64URL))]
        if !transports.isEmpty { members.append(.init("transports", .strings(transports))) }
        return .object(members)
    }
}

/// A key type that the relying party accepts.
///
/// WebAuthn Level 3, [§5.3](https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialparameters).
public struct PublicKeyCredentialParameters: Hashable, WebAuthnJSON {
    /// The credential type; currently always `public-key`.
    public var type: String
    /// The signature algorithm.
    public var alg: COSEAlgorithmIdentifier

    /// Creates parameters for an algorithm.
    public init(_ alg: COSEAlgorithmIdentifier) {
        type = "public-key"
        self.alg = alg
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "pubKeyCredParams")
        type = try members.string("type")
        guard let alg = try members.optionalInteger("alg"), let identifier = Int(exactly: alg) else {
            throw WebAuthnError(.missingMember, "pubKeyCredParams.alg")
        }
        self.alg = COSEAlgorithmIdentifier(rawValue: identifier)
    }

    /// The JSON form.
    public var value: JSONValue { ["type": .string(type), "alg": .integer(Int64(alg.rawValue))] }
}

/// Which authenticators may be used.
///
/// WebAuthn Level 3, [§5.4.4](https://www.w3.org/TR/webauthn-3/#dictdef-authenticatorselectioncriteria).
public struct AuthenticatorSelectionCriteria: Hashable, WebAuthnJSON {
    /// Platform or cross-platform; `nil` allows both.
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// Whether the credential should be discoverable.
    public var residentKey: ResidentKeyRequirement?
    /// Whether user verification is wanted.
    public var userVerification: UserVerificationRequirement

    /// Creates selection criteria.
    public init(
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        residentKey: ResidentKeyRequirement? = .required,
        userVerification: UserVerificationRequirement = .required
    ) {
        self.authenticatorAttachment = authenticatorAttachment
        self.residentKey = residentKey
        self.userVerification = userVerification
    }

    /// Reads the JSON form.
    ///
    /// Level 1's `requireResidentKey` is used if `residentKey` is absent.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "authenticatorSelection")
        authenticatorAttachment = try members.optionalString("authenticatorAttachment").map(
            AuthenticatorAttachment.init
        )
        let level1 = try members.optionalBool("requireResidentKey") ?? false
        residentKey = try members.optionalString("residentKey").map(ResidentKeyRequirement.init)
        if residentKey == nil { residentKey = level1 ? .required : nil }
        userVerification = .init(rawValue: try members.optionalString("userVerification") ?? "preferred")
    }

    /// The JSON form, with `requireResidentKey` for clients of Level 1.
    public var value: JSONValue {
        var members: [JSONValue.Member] = []
        if let attachment = authenticatorAttachment {
            members.append(.init("authenticatorAttachment", .string(attachment.rawValue)))
        }
        if let residentKey {
            members.append(.init("residentKey", .string(residentKey.rawValue)))
            members.append(.init("requireResidentKey", .bool(residentKey == .required)))
        }
        members.append(.init("userVerification", .string(userVerification.rawValue)))
        return .object(members)
    }
}

extension JSONValue {
    package static func strings(_ values: [some OpenString]) -> JSONValue {
        .array(values.map { .string($0.rawValue) })
    }
}
