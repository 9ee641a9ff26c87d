package import WardCBOR

/// A value of a later version, kept as its bytes.
///
/// Anybody can write one, and as a tree it takes many times the memory: each of its items has at least one byte here, and more than
/// sixteen there. So entries that wait are as large as they look.
package struct LaterValue: Hashable, Sendable {
    /// The canonical encoding.
    package let encoded: [UInt8]

    package init(_ value: CBORValue) { encoded = value.encoded() }

    /// The value as a tree.
    package var value: CBORValue { (try? CBORValue.decode(encoded, rules: Self.rules)) ?? .null }

    /// The value of an integer key, or `nil` if this is not a map or does not have the key.
    package subscript(key: Int) -> CBORValue? { value[key] }

    /// The bytes were made from a value, which had limits where it came from.
    private static let rules = CBORRules(
        maximumDepth: 64,
        maximumItems: .max,
        maximumLength: .max,
        allowsFloats: true
    )
}

extension LaterValue: ExpressibleByDictionaryLiteral {
    /// A map written in code, in any order.
    package init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self.init(.map(elements.map { CBORPair(key: $0.0, value: $0.1) }))
    }
}
