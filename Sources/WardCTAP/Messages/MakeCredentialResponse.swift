public import WardCBOR

/// The response of `authenticatorMakeCredential`.
///
/// The values of the response are not verified. CTAP 2.3, section 6.1, Response.
public struct MakeCredentialResponse: Hashable, Sendable {
    /// The attestation statement's format.
    public var format: String
    /// The authenticator data as signed.
    public var authenticatorData: [UInt8]
    /// The attestation statement: a map; some authenticators omit it if it is empty.
    public var attestationStatement: CBORValue?
    /// Whether the attestation identifies the individual device.
    public var isEnterpriseAttestation: Bool?
    /// The credential's key for the large-blob array, a secret of 32 bytes.
    public var largeBlobKey: [UInt8]?
    /// Unsigned extension outputs.
    ///
    /// Those of `prf` and `largeBlob` are secrets.
    public var unsignedExtensionOutputs: CTAPExtensions
    /// Unknown members.
    public var unknown: [CBORPair] = []

    /// Creates a response.
    public init(
        format: String,
        authenticatorData: [UInt8],
        attestationStatement: CBORValue?,
        isEnterpriseAttestation: Bool? = nil,
        largeBlobKey: [UInt8]? = nil,
        unsignedExtensionOutputs: CTAPExtensions = .init()
    ) {
        self.format = format
        self.authenticatorData = authenticatorData
        self.attestationStatement = attestationStatement
        self.isEnterpriseAttestation = isEnterpriseAttestation
        self.largeBlobKey = largeBlobKey
        self.unsignedExtensionOutputs = unsignedExtensionOutputs
    }

    /// Reads the bytes after the status byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` for malformed bytes.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        var reader = try MessageReader(bytes)
        format = try reader.required(0x01) { value throws(CTAPStatus) in try value.asText() }
        authenticatorData = try reader.required(0x02) { value throws(CTAPStatus) in try value.asBytes() }
        attestationStatement = try reader.value(0x03) { value throws(CTAPStatus) in try value.asStatement() }
        isEnterpriseAttestation = try reader.value(0x04) { value throws(CTAPStatus) in try value.asBool() }
        largeBlobKey = try reader.value(0x05) { value throws(CTAPStatus) in try value.asBytes() }
        unsignedExtensionOutputs = try reader.value(0x06) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        unknown = reader.rest
    }

    /// The response in canonical form, without the status byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, .text(format))
        writer.put(0x02, .bytes(authenticatorData))
        writer.put(0x03, attestationStatement)
        writer.put(0x04, isEnterpriseAttestation.map { .bool($0) })
        writer.put(0x05, largeBlobKey.map { .bytes($0) })
        writer.put(0x06, unsignedExtensionOutputs.value)
        return writer.bytes
    }

    /// WebAuthn's attestation object, which a client passes on: format, statement and authenticator data.
    ///
    /// WebAuthn Level 3, [§6.5.4](https://www.w3.org/TR/webauthn-3/#sctn-generating-an-attestation-object).
    public var attestationObject: [UInt8] {
        let statement = attestationStatement ?? .map([])
        return CBORValue.map([
            CBORPair(key: "fmt", value: .text(format)), CBORPair(key: "attStmt", value: statement),
            CBORPair(key: "authData", value: .bytes(authenticatorData)),
        ]).encoded()
    }
}

extension CBORValue {
    /// A map, or the array of a compound statement.
    func asStatement() throws(CTAPStatus) -> CBORValue {
        switch self {
        case .map, .array: return self
        default: throw .cborUnexpectedType
        }
    }
}
