internal import WardCBOR
internal import WardCOSE
public import WardWebAuthn

/// The relying party in messages to authenticators.
///
/// Other members, such as the old icon, are ignored. CTAP 2.3, section 6.1.
public struct CTAPRelyingPartyEntity: Hashable, Sendable {
    /// The RP ID, checked by the client; 1 to 253 bytes.
    public var id: String
    /// The name, if given.
    public var name: String?

    /// Creates an entity.
    public init(id: String, name: String? = nil) {
        self.id = id
        self.name = name
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        id = try reader.required("id") { value throws(CTAPStatus) in try value.asRelyingPartyID() }
        name = try reader.value("name") { value throws(CTAPStatus) in try value.asText() }
    }

    var value: CBORValue {
        var writer = MessageWriter()
        writer.put("id", .text(id))
        writer.put("name", name.map { .text($0) })
        return writer.value
    }
}

/// An account in messages to and from authenticators.
///
/// Other members, such as the old icon, are ignored. CTAP 2.3, section 6.1.
public struct CTAPUserEntity: Hashable, Sendable {
    /// The user handle.
    public var id: UserHandle
    /// The user name.
    ///
    /// It is withheld if the person was not verified.
    public var name: String?
    /// The display name.
    ///
    /// It is withheld if the person was not verified.
    public var displayName: String?

    /// Creates an entity.
    public init(id: UserHandle, name: String? = nil, displayName: String? = nil) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        id = try reader.required("id") { value throws(CTAPStatus) in
            guard let id = UserHandle(try value.asBytes()) else { throw .invalidLength }
            return id
        }
        name = try reader.value("name") { value throws(CTAPStatus) in try value.asText() }
        displayName = try reader.value("displayName") { value throws(CTAPStatus) in try value.asText() }
    }

    var value: CBORValue {
        var writer = MessageWriter()
        writer.put("id", .bytes(id.bytes))
        writer.put("name", name.map { .text($0) })
        writer.put("displayName", displayName.map { .text($0) })
        return writer.value
    }
}

extension PublicKeyCredentialDescriptor {
    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        let id = try reader.required("id") { value throws(CTAPStatus) in
            guard let id = CredentialID(try value.asBytes()) else { throw CTAPStatus.invalidLength }
            return id
        }
        let type = try reader.required("type") { value throws(CTAPStatus) in try value.asText() }
        let transports = try reader.list("transports") { value throws(CTAPStatus) in
            AuthenticatorTransport(rawValue: try value.asText())
        }
        self.init(id: id, transports: transports ?? [])
        self.type = type
    }

    var cbor: CBORValue {
        var writer = MessageWriter()
        writer.put("id", .bytes(id.bytes))
        writer.put("type", .text(type))
        writer.put("transports", transports) { .text($0.rawValue) }
        return writer.value
    }
}

extension PublicKeyCredentialParameters {
    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        let algorithm = try reader.required("alg") { value throws(CTAPStatus) in
            switch value {
            case .unsigned, .negative: break
            default: throw CTAPStatus.cborUnexpectedType
            }
            guard let number = value.integerValue.flatMap({ Int(exactly: $0) }) else { throw CTAPStatus.limitExceeded }
            return COSEAlgorithmIdentifier(rawValue: number)
        }
        self.init(algorithm)
        type = try reader.required("type") { value throws(CTAPStatus) in try value.asText() }
    }

    var cbor: CBORValue { ["alg": .integer(Int64(alg.rawValue)), "type": .text(type)] }
}

extension CBORValue {
    /// A domain name, or a platform's replacement for it, with at most the length of a domain name.
    func asRelyingPartyID() throws(CTAPStatus) -> String {
        let id = try asText()
        guard (1...253).contains(id.utf8.count) else { throw .invalidLength }
        return id
    }
}
