internal import WardCBOR

/// What a person did to several items at once, so that it can be undone at once.
///
/// Every revision that the step wrote has the same step. The next revision of an item has none.
public struct ItemStep: Hashable, Sendable {
    /// The kind of a step; unknown kinds are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for the kind in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// The items of a file were imported.
        public static let `import` = Self(rawValue: "import")
        /// Several items became one.
        public static let merge = Self(rawValue: "merge")
        /// A part of an item became an item of its own.
        public static let split = Self(rawValue: "split")
    }

    /// The length of an ID in bytes.
    static let length = 16

    /// Sixteen random bytes.
    public let id: [UInt8]
    /// What the person did.
    public let kind: Kind
    /// Whether this step undid the step with this ID.
    public let isUndo: Bool

    init(_ kind: Kind, id: [UInt8], isUndo: Bool = false) {
        (self.kind, self.id, self.isUndo) = (kind, id, isUndo)
    }

    var cbor: CBORValue {
        var map = MapWriter()
        map.put(1, bytes: id)
        map.put(2, text: kind.rawValue)
        map.put(3, flag: isUndo)
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "step")
        id = try map.required(map.bytes(1), 1)
        kind = Kind(rawValue: try map.text(2) ?? "")
        isUndo = try map.bool(3) ?? false
    }
}
