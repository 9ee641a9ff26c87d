/// The kinds of item a ``CBORReader`` reads.
public enum CBORType: Hashable, Sendable {
    /// An integer from 0 up.
    case unsigned
    /// An integer from -1 down.
    case negative
    /// A byte string.
    case bytes
    /// A text string.
    case text
    /// An array.
    case array
    /// A map.
    case map
    /// False or true.
    case bool
    /// Null.
    case null
    /// A float of any width.
    case float
}

/// A key of a map, as ``CBORReader/nextKey(_:_:)`` hands it out.
public enum CBORKey: Hashable, Sendable {
    /// An integer, as in COSE keys and CTAP2 commands.
    case integer(Int64)
    /// Where the text lies in the input.
    case text(Range<Int>)

    /// Whether the key is this text, byte for byte.
    @inlinable
    public func isText(_ text: String, in input: Span<UInt8>) -> Bool {
        guard case .text(let range) = self else { return false }
        return CBORReader.isText(text, at: range, in: input)
    }
}

/// An array being read: how many elements are left.
public struct CBORArray: Sendable {
    /// How many elements the array has.
    public let count: Int
    @usableFromInline var remaining: Int
    @usableFromInline let depth: Int

    @usableFromInline
    init(count: Int, depth: Int) {
        self.count = count
        self.remaining = count
        self.depth = depth
    }
}

/// A map being read: how many pairs are left, and the key before.
public struct CBORMap: Sendable {
    /// How many pairs the map has.
    public let count: Int
    @usableFromInline var remaining: Int
    @usableFromInline let depth: Int
    @usableFromInline let start: Int
    @usableFromInline var previousStart: Int
    @usableFromInline var previousEnd: Int
    /// Set when all keys of an unsorted map were compared at once.
    @usableFromInline var isUnique = false

    @usableFromInline
    init(count: Int, depth: Int, start: Int) {
        self.count = count
        self.remaining = count
        self.depth = depth
        self.start = start
        self.previousStart = start
        self.previousEnd = start
    }
}
