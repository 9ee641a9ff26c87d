/// Reads canonical CBOR item by item, from bytes of unknown origin.
///
/// A cursor: it never holds the bytes, so every call takes the same input. It allocates only
/// the strings that a caller asks for. No input traps it. It checks every limit of its ``CBORRules`` before it uses a value.
/// After an error the reader cannot be used further.
///
/// ```swift
/// var reader = CBORReader()
/// var map = try reader.readMap(input)
/// while let key = try reader.nextKey(&map, input) {
///     switch key {
///     case .integer(1): algorithm = try reader.readInteger(input)
///     default: _ = try reader.skip(input)
///     }
/// }
/// try reader.finish(input)
/// ```
///
/// The form is CTAP2's: CTAP 2.2, section 8, Message Encoding; RFC 8949, section 4.2.
public struct CBORReader: Sendable {
    @usableFromInline var position: Int
    @usableFromInline var itemsLeft: Int
    @usableFromInline var depth = 0
    @usableFromInline let rules: CBORRules

    /// Starts at an offset; a negative offset counts as zero.
    @inlinable
    public init(at offset: Int = 0, rules: CBORRules = .ctap2) {
        position = max(offset, 0)
        itemsLeft = rules.maximumItems
        self.rules = rules
    }

    /// The position of the next item.
    @inlinable
    public var offset: Int { position }

    /// The kind of the next item, which is not read yet.
    ///
    /// - Throws: ``CBORError`` if there is no next item, or if the next item is never accepted: a tag, a float that the
    ///   rules do not allow, a simple value without meaning here.
    @inlinable
    public func peekType(_ input: Span<UInt8>) throws(CBORError) -> CBORType {
        guard position < input.count else { throw CBORError(.truncated, at: position) }
        let initial = input[position]
        switch initial >> 5 {
        case 0: return .unsigned
        case 1: return .negative
        case 2: return .bytes
        case 3: return .text
        case 4: return .array
        case 5: return .map
        default: return try peekOther(initial)
        }
    }

    /// Reads a non-negative integer.
    @inlinable
    public mutating func readUnsigned(_ input: Span<UInt8>) throws(CBORError) -> UInt64 {
        try readArgument(major: 0, input)
    }

    /// Reads an integer that fits `Int64`.
    @inlinable
    public mutating func readInteger(_ input: Span<UInt8>) throws(CBORError) -> Int64 {
        let start = position
        let isNegative = start < input.count && input[start] >> 5 == 1
        let argument = try readArgument(major: isNegative ? 1 : 0, input)
        guard let magnitude = Int64(exactly: argument) else { throw CBORError(.integerOutOfRange, at: start) }
        return isNegative ? -1 - magnitude : magnitude
    }

    /// Reads an integer from -1 down and returns n where the value is -1 - n, which always fits.
    @inlinable
    public mutating func readNegative(_ input: Span<UInt8>) throws(CBORError) -> UInt64 {
        try readArgument(major: 1, input)
    }

    /// Reads false or true.
    @inlinable
    public mutating func readBool(_ input: Span<UInt8>) throws(CBORError) -> Bool {
        guard position < input.count else { throw CBORError(.truncated, at: position) }
        let initial = input[position]
        guard initial & 0xfe == 0xf4 else { throw refusal(of: initial) }
        try countItem()
        position += 1
        return initial == 0xf5
    }

    /// Reads null.
    @inlinable
    public mutating func readNull(_ input: Span<UInt8>) throws(CBORError) {
        guard position < input.count else { throw CBORError(.truncated, at: position) }
        let initial = input[position]
        guard initial == 0xf6 else { throw refusal(of: initial) }
        try countItem()
        position += 1
    }

    /// Throws if bytes follow the last item.
    @inlinable
    public func finish(_ input: Span<UInt8>) throws(CBORError) {
        guard position >= input.count else { throw CBORError(.trailingBytes, at: position) }
        guard position == input.count else { throw CBORError(.truncated, at: position) }
    }

    // MARK: Heads

    /// Counts one more item.
    @inlinable
    mutating func countItem() throws(CBORError) {
        guard itemsLeft > 0 else { throw CBORError(.tooManyItems, at: position) }
        itemsLeft -= 1
    }

    /// Reads a head with a known major type: the value of an integer, the length of anything else.
    @inlinable
    mutating func readArgument(major: UInt8, _ input: Span<UInt8>) throws(CBORError) -> UInt64 {
        guard position < input.count else { throw CBORError(.truncated, at: position) }
        let initial = input[position]
        guard initial >> 5 == major else { throw refusal(of: initial) }
        try countItem()
        let low = initial & 0x1f
        guard low < 24 else { return try readLongArgument(low, input) }
        position += 1
        return UInt64(low)
    }

    /// Reads the one, two, four or eight bytes after an initial byte.
    @usableFromInline
    mutating func readLongArgument(_ low: UInt8, _ input: Span<UInt8>) throws(CBORError) -> UInt64 {
        let start = position
        guard low < 28 else { throw refusal(of: input[start]) }
        let width = 1 << (Int(low) - 24)
        guard input.count - start > width else { throw CBORError(.truncated, at: start) }
        var argument: UInt64 = 0
        for index in (start + 1)...(start + width) { argument = argument << 8 | UInt64(input[index]) }
        let smallest: UInt64 = width == 1 ? 24 : 1 << (UInt64(width) * 4)
        guard argument >= smallest else { throw CBORError(.notShortest, at: start) }
        position = start + 1 + width
        return argument
    }

    // MARK: Refusals

    /// The type of an item of major type 6 or 7, or the error if it is never accepted.
    @usableFromInline
    func peekOther(_ initial: UInt8) throws(CBORError) -> CBORType {
        switch initial {
        case 0xf4, 0xf5: return .bool
        case 0xf6: return .null
        case 0xf9...0xfb where rules.allowsFloats: return .float
        default: throw refusal(of: initial)
        }
    }

    /// The error for an unexpected item: either it is never accepted, or it has the wrong type here.
    @usableFromInline
    func refusal(of initial: UInt8) -> CBORError {
        let low = initial & 0x1f
        let code: CBORError.Code =
            switch (initial >> 5, low) {
            case (_, 28...30): .reservedValue
            case (2...5, 31), (7, 31): .indefiniteLength
            case (_, 31): .reservedValue
            case (6, _): .tag
            case (7, 23): .undefined
            case (7, 25...27): rules.allowsFloats ? .unexpectedType : .floatNotAllowed
            case (7, 20...22): .unexpectedType
            case (7, _): .simpleValue
            default: .unexpectedType
            }
        return CBORError(code, at: position)
    }
}
