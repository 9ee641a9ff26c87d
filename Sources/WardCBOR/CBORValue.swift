/// A CBOR item as a tree, for small or rare items and for building them; use ``CBORReader`` on hot paths.
///
/// Text is compared byte for byte, and maps pair by pair in their order.
public enum CBORValue: Sendable {
    /// A non-negative integer.
    case unsigned(UInt64)
    /// The integer -1 - n.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text string.
    case text(String)
    /// An array.
    case array([CBORValue])
    /// A map; in the order of the input if decoded, in any order if built.
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

    /// The canonical encoding.
    ///
    /// Of pairs with the same key the last one is used.
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

    /// Creates a pair.
    public init(key: CBORValue, value: CBORValue) {
        self.key = key
        self.value = value
    }
}

extension CBORValue {
    /// The integer, if it is one that fits `Int64`.
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

    /// The value of a boolean.
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

    /// The value of an integer key, or `nil` if this is not a map or does not have the key.
    public subscript(key: Int) -> CBORValue? {
        self[.integer(Int64(key))]
    }

    /// The value of a text key, or `nil` if this is not a map or does not have the key.
    public subscript(key: String) -> CBORValue? {
        self[.text(key)]
    }

    /// The value of a key, or `nil` if this is not a map or does not have the key.
    public subscript(key: CBORValue) -> CBORValue? {
        mapValue?.last { $0.key == key }?.value
    }
}

extension CBORValue: Hashable {
    /// Compares text byte for byte; `String` would treat different encodings of a letter as equal.
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
