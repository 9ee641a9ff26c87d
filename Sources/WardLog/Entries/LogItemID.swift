internal import WardText

/// The item that an entry is about, as the log knows it: sixteen bytes and nothing more.
package struct LogItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let bytes: [UInt8]

    package static let length = 16

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The first sixteen bytes; what is missing is zero.
    package init(prefix bytes: [UInt8]) {
        let first = bytes.prefix(Self.length)
        self.bytes = first + [UInt8](repeating: 0, count: Self.length - first.count)
    }

    package var description: String { Hex.encode(bytes) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}
