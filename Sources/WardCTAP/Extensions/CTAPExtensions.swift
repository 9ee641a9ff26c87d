public import WardCBOR

/// Extension inputs or outputs by identifier.
///
/// Unknown extensions are kept unchanged.
///
/// Typed access: ``hmacSecretInput(_:)``, ``prfInput()``, ``largeBlobInput()``, ``credProtect()``. CTAP 2.3, section
/// 12, Defined Extensions.
public struct CTAPExtensions: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The identifier of an extension.
    public struct Identifier: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The wire value.
        public let rawValue: String
        /// Creates a value from any string.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a value from any string.
        public init(stringLiteral value: String) { rawValue = value }

        /// The protection level of a credential; section 12.1.
        public static let credProtect: Self = "credProtect"
        /// `credBlob`: bytes that are stored with a credential; section 12.2.
        public static let credBlob: Self = "credBlob"
        /// A key for the array of large blobs; section 12.3.
        public static let largeBlobKey: Self = "largeBlobKey"
        /// `largeBlob` with the blob itself, in the form that phones use.
        public static let largeBlob: Self = "largeBlob"
        /// The minimum PIN length; section 12.4.
        public static let minPinLength: Self = "minPinLength"
        /// `hmac-secret`: secrets derived with a credential; section 12.5.
        public static let hmacSecret: Self = "hmac-secret"
        /// `hmac-secret-mc`: the same secrets when a credential is created.
        public static let hmacSecretMC: Self = "hmac-secret-mc"
        /// `prf`: the same secrets in the form that phones use, with unencrypted salts and results.
        public static let prf: Self = "prf"
        /// `credProps`: an extension of the client.
        ///
        /// Its output here has the values that only the authenticator knows.
        public static let credProps: Self = "credProps"
    }

    private var pairs: [CBORPair]

    /// Creates an empty set.
    public init() { pairs = [] }

    /// Creates a set from pairs.
    public init(dictionaryLiteral elements: (Identifier, CBORValue)...) {
        pairs = []
        for (identifier, value) in elements { self[identifier] = value }
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        guard case .map(let pairs) = value else { throw .cborUnexpectedType }
        for pair in pairs {
            guard case .text = pair.key else { throw .cborUnexpectedType }
        }
        self.pairs = pairs
    }

    /// Whether there are no extensions.
    public var isEmpty: Bool { pairs.isEmpty }

    /// The identifiers, in the order of the message.
    public var identifiers: [Identifier] { pairs.compactMap { $0.key.textValue.map(Identifier.init(rawValue:)) } }

    /// One extension's input or output; setting `nil` removes it.
    public subscript(identifier: Identifier) -> CBORValue? {
        get { pairs.first { $0.key == .text(identifier.rawValue) }?.value }
        set {
            pairs.removeAll { $0.key == .text(identifier.rawValue) }
            guard let newValue else { return }
            pairs.append(CBORPair(key: .text(identifier.rawValue), value: newValue))
        }
    }

    /// The map as canonical CBOR, as authenticator data contains it, or `nil` if the map is empty.
    public var bytes: [UInt8]? { value?.encoded() }

    /// The map, or `nil` if it is empty.
    var value: CBORValue? { pairs.isEmpty ? nil : .map(pairs) }

    /// Extensions are equal if their canonical forms are; the order does not matter.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.bytes == rhs.bytes }
    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
