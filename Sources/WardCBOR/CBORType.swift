/// The kinds of item a ``CBORReader`` reads.
public enum CBORType: Hashable, Sendable {
    /// A non-negative integer.
    case unsigned
    /// A negative integer.
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

/// A key of a map, from ``CBORReader/nextKey(_:_:)``.
public enum CBORKey: Hashable, Sendable {
    /// An integer, as in COSE keys and CTAP2 commands.
    case integer(Int64)
    /// The position of the text in the input.
    case text(Range<Int>)

    /// Whether the key is this text, byte for byte.
    @inlinable
    public func isText(_ text: String, in input: Span<UInt8>) -> Bool {
        guard case .text(let range) = self else { return false }
        return CBORReader.isText(text, at: range, in: input)
    }
}

/// An array that is being read: the number of remaining elements.
public struct CBORArray: Sendable {
    /// The number of elements in the array.
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

/// A map that is being read: the number of remaining pairs, and the last key.
public struct CBORMap: Sendable {
    /// The number of pairs in the map.
    public let count: Int
    @usableFromInline var remaining: Int
    @usableFromInline let depth: Int
    @usableFromInline let start: Int
    @usableFromInline var previousStart: Int
    @usableFromInline var previousEnd: Int
    /// Set after all keys of an unsorted map were compared at once.
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
