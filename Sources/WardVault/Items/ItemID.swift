public import WardWebAuthn

/// The name of an item, which never changes and says nothing about it.
public struct ItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Sixteen random bytes.
    public let bytes: [UInt8]

    /// Takes sixteen bytes, or answers `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Draws a new name.
    public init(effects: Effects = .live) {
        var drawn = Array(effects.randomBytes(Self.length).prefix(Self.length))
        while drawn.count < Self.length { drawn.append(0) }
        bytes = drawn
    }

    /// Reads the form of ``text``; case does not matter.
    public init?(text: String) {
        guard let bytes = CrockfordBase32.decode(text), bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// 26 letters and digits, lower case: fit for a command line.
    public var text: String { CrockfordBase32.encode(bytes).lowercased() }
    /// The same as ``text``.
    public var description: String { text }

    /// Orders by bytes.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }

    static let length = 16
}
