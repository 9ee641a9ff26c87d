internal import WardText

/// The ID of an item in the log: sixteen bytes.
package struct LogItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let bytes: [UInt8]

    package static let length = 16

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Takes the first sixteen bytes, and zeros for missing ones.
    package init(prefix bytes: [UInt8]) {
        let first = bytes.prefix(Self.length)
        self.bytes = first + [UInt8](repeating: 0, count: Self.length - first.count)
    }

    package var description: String { Hex.encode(bytes) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}
