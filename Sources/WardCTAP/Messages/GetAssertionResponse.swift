public import WardCBOR
public import WardWebAuthn

/// The response of `authenticatorGetAssertion` and `authenticatorGetNextAssertion`.
///
/// The values of the response are not verified. CTAP 2.3, section 6.2, Response.
public struct GetAssertionResponse: Hashable, Sendable {
    /// The credential.
    ///
    /// Old authenticators leave it out if only one was allowed.
    public var credential: PublicKeyCredentialDescriptor?
    /// The authenticator data as signed.
    public var authenticatorData: [UInt8]
    /// The signature over the authenticator data and the hash of the client data.
    public var signature: [UInt8]
    /// The account.
    ///
    /// It has only the user handle if the person was not verified or only one account was found.
    public var user: CTAPUserEntity?
    /// The number of credentials that were found, if the client can fetch more.
    ///
    /// The further responses do not have it.
    public var numberOfCredentials: Int?
    /// Whether the person chose the account in a prompt of the authenticator.
    public var isUserSelected: Bool?
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
        credential: PublicKeyCredentialDescriptor?,
        authenticatorData: [UInt8],
        signature: [UInt8],
        user: CTAPUserEntity? = nil,
        numberOfCredentials: Int? = nil,
        isUserSelected: Bool? = nil,
        largeBlobKey: [UInt8]? = nil,
        unsignedExtensionOutputs: CTAPExtensions = .init()
    ) {
        self.credential = credential
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.user = user
        self.numberOfCredentials = numberOfCredentials
        self.isUserSelected = isUserSelected
        self.largeBlobKey = largeBlobKey
        self.unsignedExtensionOutputs = unsignedExtensionOutputs
    }

    /// Reads the bytes after the status byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` for malformed bytes.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        var reader = try MessageReader(bytes)
        credential = try reader.value(0x01) { value throws(CTAPStatus) in try .init(value) }
        authenticatorData = try reader.required(0x02) { value throws(CTAPStatus) in try value.asBytes() }
        signature = try reader.required(0x03) { value throws(CTAPStatus) in try value.asBytes() }
        user = try reader.value(0x04) { value throws(CTAPStatus) in try .init(value) }
        numberOfCredentials = try reader.value(0x05) { value throws(CTAPStatus) in try value.asCount() }
        isUserSelected = try reader.value(0x06) { value throws(CTAPStatus) in try value.asBool() }
        largeBlobKey = try reader.value(0x07) { value throws(CTAPStatus) in try value.asBytes() }
        unsignedExtensionOutputs = try reader.value(0x08) { value throws(CTAPStatus) in try .init(value) } ?? .init()
        unknown = reader.rest
    }

    /// The response in canonical form, without the status byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, credential?.cbor)
        writer.put(0x02, .bytes(authenticatorData))
        writer.put(0x03, .bytes(signature))
        writer.put(0x04, user?.value)
        writer.put(0x05, numberOfCredentials.map { .integer(Int64($0)) })
        writer.put(0x06, isUserSelected.map { .bool($0) })
        writer.put(0x07, largeBlobKey.map { .bytes($0) })
        writer.put(0x08, unsignedExtensionOutputs.value)
        return writer.bytes
    }
}
