internal import WardText

/// Inputs of the `largeBlob` extension, which stores bytes with a credential.
///
/// WebAuthn Level 3, [§10.1.5](https://www.w3.org/TR/webauthn-3/#sctn-large-blob-extension).
public struct LargeBlobInputs: Hashable, Sendable {
    /// Whether a new credential should support large blobs.
    public struct Support: OpenString {
        /// The wire value.
        public let rawValue: String
        /// Creates a value from any string.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Required: the registration fails without it.
        public static let required: Self = "required"
        /// Preferred: the request succeeds without it.
        public static let preferred: Self = "preferred"
    }

    /// At registration: whether support is wanted.
    public var support: Support?
    /// At sign-in: whether to read the blob.
    public var read: Bool?
    /// At sign-in with exactly one allowed credential: the blob to write.
    public var write: [UInt8]?

    /// Creates the inputs; set one of the three.
    public init(support: Support? = nil, read: Bool? = nil, write: [UInt8]? = nil) {
        self.support = support
        self.read = read
        self.write = write
    }

    init(_ value: JSONValue) {
        support = value["support"]?.stringValue.map(Support.init)
        read = value["read"]?.boolValue
        write = value["write"]?.base64URLValue
    }

    var value: JSONValue {
        var members: [JSONValue.Member] = []
        if let support { members.append(.init("support", .string(support.rawValue))) }
        if let read { members.append(.init("read", .bool(read))) }
        if let write { members.append(.init("write", .string(Base64URL.encode(write)))) }
        return .object(members)
    }
}

/// Outputs of the `largeBlob` extension.
public struct LargeBlobOutputs: Hashable, Sendable {
    /// At registration: whether the credential supports large blobs.
    public var supported: Bool?
    /// The blob that was read.
    public var blob: [UInt8]?
    /// Whether the blob was written.
    public var written: Bool?

    /// Creates the outputs.
    public init(supported: Bool? = nil, blob: [UInt8]? = nil, written: Bool? = nil) {
        self.supported = supported
        self.blob = blob
        self.written = written
    }

    init(_ value: JSONValue) {
        supported = value["supported"]?.boolValue
        blob = value["blob"]?.base64URLValue
        written = value["written"]?.boolValue
    }

    var value: JSONValue {
        var members: [JSONValue.Member] = []
        if let supported { members.append(.init("supported", .bool(supported))) }
        if let blob { members.append(.init("blob", .string(Base64URL.encode(blob)))) }
        if let written { members.append(.init("written", .bool(written))) }
        return .object(members)
    }
}
