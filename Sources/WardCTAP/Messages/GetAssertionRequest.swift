public import WardCBOR
public import WardWebAuthn

/// The parameters of `authenticatorGetAssertion`.
///
/// CTAP 2.3, section 6.2.
public struct GetAssertionRequest: Hashable, Sendable {
    /// The RP ID, checked by the client; 1 to 253 bytes.
    public var rpID: String
    /// SHA-256 of the client data: 32 bytes.
    public var clientDataHash: [UInt8]
    /// The allowed credentials; an empty list allows any discoverable one.
    public var allowList: [PublicKeyCredentialDescriptor]
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
        rpID: String,
        clientDataHash: [UInt8],
        allowList: [PublicKeyCredentialDescriptor] = [],
        extensions: CTAPExtensions = .init(),
        options: CTAPRequestOptions = .init(),
        pinUVAuthParam: [UInt8]? = nil,
        pinUVAuthProtocol: PINUVAuthProtocol? = nil,
        enterpriseAttestation: Int? = nil,
        attestationFormatsPreference: [String] = []
    ) {
        self.rpID = rpID
        self.clientDataHash = clientDataHash
        self.allowList = allowList
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
        rpID = try reader.required(0x01) { value throws(CTAPStatus) in try value.asRelyingPartyID() }
        clientDataHash = try reader.required(0x02) { value throws(CTAPStatus) in try value.asHash() }
        allowList = try reader.list(0x03) { value throws(CTAPStatus) in try .init(value) } ?? []
        extensions = try reader.value(0x04) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        options = try reader.value(0x05) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        pinUVAuthParam = try reader.value(0x06) { value throws(CTAPStatus) in try value.asBytes() }
        pinUVAuthProtocol = try reader.value(0x07) { value throws(CTAPStatus) in try .init(value) }
        enterpriseAttestation = try reader.value(0x08) { value throws(CTAPStatus) in try value.asCount() }
        attestationFormatsPreference = try reader.list(0x09) { value throws(CTAPStatus) in try value.asText() } ?? []
        unknown = reader.rest
    }

    /// The parameters in canonical form, without the command byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, .text(rpID))
        writer.put(0x02, .bytes(clientDataHash))
        writer.put(0x03, allowList, \.cbor)
        writer.put(0x04, extensions.value)
        writer.put(0x05, options.value)
        writer.put(0x06, pinUVAuthParam.map { .bytes($0) })
        writer.put(0x07, pinUVAuthProtocol?.value)
        writer.put(0x08, enterpriseAttestation.map { .integer(Int64($0)) })
        writer.put(0x09, attestationFormatsPreference) { .text($0) }
        return writer.bytes
    }
}
