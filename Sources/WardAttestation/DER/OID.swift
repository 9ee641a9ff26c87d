/// An object identifier: the global identifier of an algorithm, an attribute or an extension.
public struct OID: Hashable, Sendable, CustomStringConvertible {
    /// The encoded arcs, without tag and length.
    public let bytes: [UInt8]

    /// The arc of NIST's signature algorithms.
    ///
    /// Followed by 17, 18 or 19 it is ML-DSA-44, -65 or -87.
    static let nistSignatures = OID(2, 16, 840, 1, 101, 3, 4, 3)

    /// ML-DSA-44.
    ///
    /// The cryptographic library does not verify it.
    private static let mlDSA44 = OID(2, 16, 840, 1, 101, 3, 4, 3, 17)

    /// The algorithm's name, if errors show it by name; otherwise the arcs.
    var name: String { self == Self.mlDSA44 ? "ML-DSA-44" : description }

    /// Creates an identifier from encoded arcs.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ range: Range<Int>, of input: Span<UInt8>) {
        bytes = input.copy(range)
    }

    /// Encodes arcs; the first two must be in the standard's range.
    package init(_ first: UInt64, _ second: UInt64, _ others: UInt64...) {
        var encoded: [UInt8] = []
        for arc in [first &* 40 &+ second] + others {
            var groups = [UInt8(truncatingIfNeeded: arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(UInt8(truncatingIfNeeded: rest & 0x7f) | 0x80)
                rest >>= 7
            }
            encoded += groups.reversed()
        }
        bytes = encoded
    }

    /// The arcs, separated by periods.
    ///
    /// Arcs of more than 63 bits are shown as `?`.
    public var description: String {
        var parts: [String] = []
        var arc: UInt64 = 0
        var isTooLong = false
        for byte in bytes {
            if arc >> 56 != 0 { isTooLong = true }
            arc = arc << 7 | UInt64(byte & 0x7f)
            guard byte < 0x80 else { continue }
            if isTooLong {
                parts.append("?")
            } else if parts.isEmpty {
                let first = min(arc / 40, 2)
                parts = [String(first), String(arc - first * 40)]
            } else {
                parts.append(String(arc))
            }
            (arc, isTooLong) = (0, false)
        }
        return parts.joined(separator: ".")
    }

    /// Whether a range of the input contains exactly this identifier.
    func isAt(_ range: Range<Int>, of input: Span<UInt8>) -> Bool {
        guard range.count == bytes.count, range.upperBound <= input.count else { return false }
        for (index, byte) in zip(range, bytes) where input[index] != byte { return false }
        return true
    }
}

extension Span<UInt8> {
    /// The bytes of a valid range.
    func copy(_ range: Range<Int>) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= count else { return [] }
        return [UInt8](capacity: range.count) { output in
            for index in range { output.append(self[index]) }
        }
    }

    /// Whether two ranges of two inputs contain the same bytes.
    static func isEqual(_ one: Range<Int>, of input: Self, to other: Range<Int>, of otherInput: Self) -> Bool {
        guard one.count == other.count, one.upperBound <= input.count, other.upperBound <= otherInput.count else {
            return false
        }
        for index in 0..<one.count where input[one.lowerBound + index] != otherInput[other.lowerBound + index] {
            return false
        }
        return true
    }
}
