/// Compares two byte strings in time that does not depend on where they differ.
///
/// The time shows the lengths. Strings of different lengths are not equal.
package func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    isEqualInConstantTime(one.span, other.span)
}

/// Compares two byte strings in time that does not depend on where they differ.
///
/// The time shows the lengths. Strings of different lengths are not equal.
package func isEqualInConstantTime(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
}
