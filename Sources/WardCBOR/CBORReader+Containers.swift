extension CBORReader {
    /// Reads the head of an array.
    ///
    /// Read each element after ``nextElement(_:_:)``.
    @inlinable
    public mutating func readArray(_ input: Span<UInt8>) throws(CBORError) -> CBORArray {
        let count = try readCount(major: 4, itemsEach: 1, input)
        return CBORArray(count: count, depth: depth)
    }

    /// Whether there is another element, which must be read next.
    @inlinable
    public mutating func nextElement(_ array: inout CBORArray, _ input: Span<UInt8>) throws(CBORError) -> Bool {
        guard array.remaining > 0 else {
            depth = array.depth - 1
            return false
        }
        array.remaining -= 1
        depth = array.depth
        return true
    }

    /// Reads the head of a map.
    ///
    /// Read each pair after ``nextKey(_:_:)``.
    @inlinable
    public mutating func readMap(_ input: Span<UInt8>) throws(CBORError) -> CBORMap {
        let count = try readCount(major: 5, itemsEach: 2, input)
        return CBORMap(count: count, depth: depth, start: position)
    }

    /// Reads the key of the next pair, or returns `nil` after the last pair.
    ///
    /// Read the pair's value next.
    ///
    /// - Throws: ``CBORError``, also if the key is neither an integer nor text, is a duplicate, or is out of order.
    @inlinable
    public mutating func nextKey(_ map: inout CBORMap, _ input: Span<UInt8>) throws(CBORError) -> CBORKey? {
        guard map.remaining > 0 else {
            depth = map.depth - 1
            return nil
        }
        let isFirst = map.remaining == map.count
        map.remaining -= 1
        depth = map.depth
        let start = position
        let key = try readKey(input)
        guard !map.isUnique else { return key }
        if !isFirst, !Self.isKey(map.previousStart..<map.previousEnd, before: start..<position, in: input) {
            try acceptDisorder(&map, key: start..<position, input)
        }
        map.previousStart = start
        map.previousEnd = position
        return key
    }

    /// Reads one whole item of any kind, checks it completely, and returns its position.
    public mutating func skip(_ input: Span<UInt8>) throws(CBORError) -> Range<Int> {
        let start = position
        switch try peekType(input) {
        case .unsigned: _ = try readArgument(major: 0, input)
        case .negative: _ = try readArgument(major: 1, input)
        case .bytes: _ = try readBytes(input)
        case .text: _ = try readText(input)
        case .bool: _ = try readBool(input)
        case .null: try readNull(input)
        case .float: _ = try readFloat(input)
        case .array:
            var array = try readArray(input)
            while try nextElement(&array, input) { _ = try skip(input) }
        case .map:
            var map = try readMap(input)
            while try nextKey(&map, input) != nil { _ = try skip(input) }
        }
        return start..<position
    }

    /// Reads the head of a container and enters it.
    @inlinable
    mutating func readCount(major: UInt8, itemsEach: Int, _ input: Span<UInt8>) throws(CBORError) -> Int {
        let start = position
        let count = try readArgument(major: major, input)
        // Each item has at least one byte, so a count that is too large is detected here.
        guard count <= UInt64(clamping: (input.count - position) / itemsEach) else {
            throw CBORError(.truncated, at: start)
        }
        guard count <= UInt64(clamping: itemsLeft / itemsEach) else { throw CBORError(.tooManyItems, at: start) }
        guard depth < rules.maximumDepth else { throw CBORError(.tooDeep, at: start) }
        depth += 1
        return Int(truncatingIfNeeded: count)
    }

    @inlinable
    mutating func readKey(_ input: Span<UInt8>) throws(CBORError) -> CBORKey {
        guard position < input.count else { throw CBORError(.truncated, at: position) }
        switch input[position] >> 5 {
        case 0, 1: return .integer(try readInteger(input))
        case 3: return .text(try readText(input))
        default:
            _ = try peekType(input)
            throw CBORError(.keyType, at: position)
        }
    }
}
