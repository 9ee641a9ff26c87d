public import WardCBOR
public import WardWebAuthn

/// The parameters of `authenticatorMakeCredential`.
///
/// Decoding ``encoded`` gives the same request, and encoding a decoded request gives the same bytes, except for empty
/// lists and maps, which are left out, and unknown members of nested maps. CTAP 2.3, section 6.1.
public struct MakeCredentialRequest: Hashable, Sendable {
    /// SHA-256 of the client data: 32 bytes.
    public var clientDataHash: [UInt8]
    /// The relying party.
    public var relyingParty: CTAPRelyingPartyEntity
    /// The account.
    public var user: CTAPUserEntity
    /// The accepted key types, best first.
    public var pubKeyCredParams: [PublicKeyCredentialParameters]
    /// Credentials of this account that the authenticator must not already have.
    public var excludeList: [PublicKeyCredentialDescriptor]
    /// Extension inputs.
    public var extensions: CTAPExtensions
    /// Options.
    public var options: CTAPRequestOptions
    /// A proof that the client has a token.
    ///
    /// An empty value only asks for a touch.
    public var pinUVAuthParam: [UInt8]?
    /// The protocol of ``pinUVAuthParam``.
    public var pinUVAuthProtocol: PINUVAuthProtocol?
    /// The kind of enterprise attestation: 1 or 2.
    public var enterpriseAttestation: Int?
    /// The relying party's preferred attestation statement formats, best first.
    public var attestationFormatsPreference: [String]
    /// Unknown parameters; authenticators ignore them.
    public var unknown: [CBORPair] = []

    /// Creates a request.
    public init(
        clientDataHash: [UInt8],
        relyingParty: CTAPRelyingPartyEntity,
        user: CTAPUserEntity,
        pubKeyCredParams: [PublicKeyCredentialParameters],
        excludeList: [PublicKeyCredentialDescriptor] = [],
        extensions: CTAPExtensions = .init(),
        options: CTAPRequestOptions = .init(),
        pinUVAuthParam: [UInt8]? = nil,
        pinUVAuthProtocol: PINUVAuthProtocol? = nil,
        enterpriseAttestation: Int? = nil,
        attestationFormatsPreference: [String] = []
    ) {
        self.clientDataHash = clientDataHash
        self.relyingParty = relyingParty
        self.user = user
        self.pubKeyCredParams = pubKeyCredParams
        self.excludeList = excludeList
        self.extensions = extensions
        self.options = options
        self.pinUVAuthParam = pinUVAuthParam
        self.pinUVAuthProtocol = pinUVAuthProtocol
        self.enterpriseAttestation = enterpriseAttestation
        self.attestationFormatsPreference = attestationFormatsPreference
    }

    /// Reads the parameters after the command byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` that the authenticator answers with.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        var reader = try MessageReader(bytes)
        clientDataHash = try reader.required(0x01) { value throws(CTAPStatus) in try value.asHash() }
        relyingParty = try reader.required(0x02) { value throws(CTAPStatus) in try CTAPRelyingPartyEntity(value) }
        user = try reader.required(0x03) { value throws(CTAPStatus) in try CTAPUserEntity(value) }
        let parameters = try reader.list(0x04) { value throws(CTAPStatus) in try PublicKeyCredentialParameters(value) }
        guard let parameters else { throw .missingParameter }
        pubKeyCredParams = parameters
        excludeList = try reader.list(0x05) { value throws(CTAPStatus) in try .init(value) } ?? []
        extensions = try reader.value(0x06) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        options = try reader.value(0x07) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        pinUVAuthParam = try reader.value(0x08) { value throws(CTAPStatus) in try value.asBytes() }
        pinUVAuthProtocol = try reader.value(0x09) { value throws(CTAPStatus) in try .init(value) }
        enterpriseAttestation = try reader.value(0x0a) { value throws(CTAPStatus) in try value.asCount() }
        attestationFormatsPreference = try reader.list(0x0b) { value throws(CTAPStatus) in try value.asText() } ?? []
        unknown = reader.rest
    }

    /// The parameters in canonical form, without the command byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, .bytes(clientDataHash))
        writer.put(0x02, relyingParty.value)
        writer.put(0x03, user.value)
        writer.put(0x04, .array(pubKeyCredParams.map(\.cbor)))
        writer.put(0x05, excludeList, \.cbor)
        writer.put(0x06, extensions.value)
        writer.put(0x07, options.value)
        writer.put(0x08, pinUVAuthParam.map { .bytes($0) })
        writer.put(0x09, pinUVAuthProtocol?.value)
        writer.put(0x0a, enterpriseAttestation.map { .integer(Int64($0)) })
        writer.put(0x0b, attestationFormatsPreference) { .text($0) }
        return writer.bytes
    }
}
