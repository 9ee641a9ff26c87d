internal import WardCBOR

/// Unknown fields of a map, kept and written back unchanged.
struct UnknownFields: Hashable, Sendable {
    var pairs: [CBORPair] = []
}

/// Reads a CBOR map with integer keys; values that are not read are kept as unknown fields.
struct MapReader {
    private var values: [Int64: CBORValue] = [:]
    private var others: [CBORPair] = []
    private let name: String

    init(_ value: CBORValue, _ name: String) throws(VaultError) {
        guard let pairs = value.mapValue else { throw VaultError(.malformedItem, "\(name) is not a map") }
        self.name = name
        for pair in pairs {
            if let key = pair.key.integerValue { values[key] = pair.value } else { others.append(pair) }
        }
    }

    /// The remaining fields, after all known ones were read.
    var unknown: UnknownFields {
        UnknownFields(pairs: others + values.sorted { $0.key < $1.key }.map { CBORPair(key: .integer($0), value: $1) })
    }

    mutating func value(_ key: Int64) -> CBORValue? { values.removeValue(forKey: key) }

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

/// Builds a CBOR map with integer keys, without empty values.
struct MapWriter {
    private var pairs: [CBORPair]

    init(keeping unknown: UnknownFields = UnknownFields()) { pairs = unknown.pairs }

    /// The map; keys are sorted when it is encoded.
    var value: CBORValue { .map(pairs) }

    mutating func put(_ key: Int64, _ value: CBORValue?) {
        if let value { pairs.append(CBORPair(key: .integer(key), value: value)) }
    }

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
