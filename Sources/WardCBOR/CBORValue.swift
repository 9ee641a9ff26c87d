/// A CBOR item as a tree, for what is small, rare or built by hand; hot paths use ``CBORReader``.
///
/// Text is compared byte for byte, maps pair by pair in the order they are in.
public enum CBORValue: Sendable {
    /// An integer from 0 up.
    case unsigned(UInt64)
    /// The integer -1 - n.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text string.
    case text(String)
    /// An array.
    case array([CBORValue])
    /// A map; in the order of the input when decoded, in any order when made by hand.
    case map([CBORPair])
    /// False or true.
    case bool(Bool)
    /// Null.
    case null
    /// A float.
    case float(Double)

    /// An integer of either sign.
    public static func integer(_ value: Int64) -> Self {
        value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value))
    }

    /// The canonical encoding; of pairs with the same key the last one counts.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter()
        writer.write(value: self)
        return writer.bytes
    }
}

/// A key of a map and its value.
public struct CBORPair: Hashable, Sendable {
    /// The key; the reader accepts integers and text.
    public var key: CBORValue
    /// The value.
    public var value: CBORValue

    /// Joins a key and a value.
    public init(key: CBORValue, value: CBORValue) {
        self.key = key
        self.value = value
    }
}

extension CBORValue {
    /// The integer, if it is one that fits.
    public var integerValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    /// The bytes of a byte string.
    public var bytesValue: [UInt8]? {
        guard case .bytes(let value) = self else { return nil }
        return value
    }

    /// The text of a text string.
    public var textValue: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    /// The truth of a boolean.
    public var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array.
    public var arrayValue: [CBORValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The pairs of a map.
    public var mapValue: [CBORPair]? {
        guard case .map(let value) = self else { return nil }
        return value
    }

    /// The value under an integer key, or `nil` when this is no map or has no such key.
    public subscript(key: Int) -> CBORValue? {
        self[.integer(Int64(key))]
    }

    /// The value under a text key, or `nil` when this is no map or has no such key.
    public subscript(key: String) -> CBORValue? {
        self[.text(key)]
    }

    /// The value under a key, or `nil` when this is no map or has no such key.
    public subscript(key: CBORValue) -> CBORValue? {
        mapValue?.last { $0.key == key }?.value
    }
}

extension CBORValue: Hashable {
    /// Compares text byte for byte, where `String` would take other spellings of a letter for the same.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        case (.float(let left), .float(let right)): left == right
        default: false
        }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .unsigned(let value): hasher.combine(value)
        case .negative(let value): hasher.combine(~value)
        case .bytes(let value): hasher.combine(value)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .array(let value): hasher.combine(value)
        case .map(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .null: hasher.combine(0)
        case .float(let value): hasher.combine(value)
        }
    }
}
