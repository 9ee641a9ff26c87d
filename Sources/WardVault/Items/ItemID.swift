public import WardWebAuthn

/// An item ID.
///
/// It is random, never changes, and contains no information about the item.
public struct ItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Sixteen random bytes.
    public let bytes: [UInt8]

    /// Creates an ID from sixteen bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Creates a random ID.
    public init(effects: Effects = .live) {
        var drawn = Array(effects.randomBytes(Self.length).prefix(Self.length))
        while drawn.count < Self.length { drawn.append(0) }
        bytes = drawn
    }

    /// Reads an ID in the form of ``text``.
    ///
    /// Case does not matter.
    public init?(text: String) {
        guard let bytes = CrockfordBase32.decode(text), bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// 26 lower-case letters and digits, for command lines.
    public var text: String { CrockfordBase32.encode(bytes, isLowerCase: true) }
    /// A description: the same text as ``text``.
    public var description: String { text }

    /// Compares the bytes.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }

    static let length = 16
}
