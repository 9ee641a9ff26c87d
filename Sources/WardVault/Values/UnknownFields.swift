internal import WardCBOR

/// Unknown fields of a map, kept and written back unchanged.
struct UnknownFields: Hashable, Sendable {
    var pairs: [CBORPair] = []
}

/// Reads the fields of a map by their type; fields that are not read are kept as unknown fields.
struct MapReader {
    private var fields: CBORFields
    private let name: String

    init(_ value: CBORValue, _ name: String) throws(VaultError) {
        guard let fields = CBORFields(value) else { throw VaultError(.malformedItem, "\(name) is not a map") }
        self.fields = fields
        self.name = name
    }

    /// The remaining fields, after all known ones were read.
    var unknown: UnknownFields { UnknownFields(pairs: fields.rest) }

    mutating func value(_ key: Int64) -> CBORValue? { fields.take(.integer(key)) }

    mutating func text(_ key: Int64) throws(VaultError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.textValue else { throw wrongType(key) }
        return text
    }

    mutating func bytes(_ key: Int64) throws(VaultError) -> [UInt8]? {
        guard let value = value(key) else { return nil }
        guard let bytes = value.bytesValue else { throw wrongType(key) }
        return bytes
    }

    mutating func integer(_ key: Int64) throws(VaultError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let integer = value.integerValue else { throw wrongType(key) }
        return integer
    }

    mutating func bool(_ key: Int64) throws(VaultError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.boolValue else { throw wrongType(key) }
        return bool
    }

    mutating func array(_ key: Int64) throws(VaultError) -> [CBORValue] {
        guard let value = value(key) else { return [] }
        guard let array = value.arrayValue else { throw wrongType(key) }
        return array
    }

    func required<T>(_ value: T?, _ key: Int64) throws(VaultError) -> T {
        guard let value else { throw VaultError(.malformedItem, "\(name) lacks field \(key)") }
        return value
    }

    private func wrongType(_ key: Int64) -> VaultError {
        VaultError(.malformedItem, "field \(key) of \(name) has an unexpected type")
    }
}

/// Builds a map with integer keys, without empty values.
struct MapWriter {
    private var fields: CBORFields

    init(keeping unknown: UnknownFields = UnknownFields()) { fields = CBORFields(keeping: unknown.pairs) }

    /// The map; it is sorted when it is encoded.
    var value: CBORValue { fields.value }

    mutating func put(_ key: Int64, _ value: CBORValue?) { fields.put(.integer(key), value) }

    mutating func put(_ key: Int64, text: String) {
        if !text.isEmpty { put(key, .text(text)) }
    }

    mutating func put(_ key: Int64, integer: Int64?) { put(key, integer.map { .integer($0) }) }

    mutating func put(_ key: Int64, bytes: [UInt8]?) { put(key, bytes.map { .bytes($0) }) }

    mutating func put(_ key: Int64, flag: Bool) {
        if flag { put(key, .bool(true)) }
    }

    mutating func put(_ key: Int64, array: [CBORValue]) {
        if !array.isEmpty { put(key, .array(array)) }
    }
}
