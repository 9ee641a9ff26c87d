extension CBORReader {
    /// Whether one encoded key sorts before another: bytewise, which is CTAP2's order for keys in shortest form.
    ///
    /// Both ranges must be positions in this input; a range outside does not sort before any key.
    @inlinable
    static func isKey(_ left: Range<Int>, before right: Range<Int>, in input: Span<UInt8>) -> Bool {
        guard left.upperBound <= input.count, right.upperBound <= input.count else { return false }
        let common = min(left.count, right.count)
        for index in 0..<common {
            let (mine, other) = (input[left.lowerBound + index], input[right.lowerBound + index])
            guard mine == other else { return mine < other }
        }
        // No encoding is a prefix of another, so these are the same key.
        return false
    }

    /// Called at the first key that does not sort after its predecessor.
    ///
    /// If the order is not required, all keys of the map are compared here once, those already read and those to come.
    /// They are sorted for that, so the cost stays nearly linear in the length of the map.
    @usableFromInline
    mutating func acceptDisorder(_ map: inout CBORMap, key: Range<Int>, _ input: Span<UInt8>) throws(CBORError) {
        guard Self.isKey(key, before: map.previousStart..<map.previousEnd, in: input) else {
            throw CBORError(.duplicateKey, at: key.lowerBound)
        }
        guard !rules.requiresSortedKeys else { throw CBORError(.unsortedKeys, at: key.lowerBound) }
        var scan = CBORReader(at: map.start, rules: rules)
        var keys: [Range<Int>] = []
        keys.reserveCapacity(map.count)
        for _ in 0..<map.count {
            let start = scan.position
            _ = try scan.readKey(input)
            keys.append(start..<scan.position)
            try scan.stepOver(input)
        }
        keys.sort { Self.isKey($0, before: $1, in: input) }
        for (left, right) in zip(keys, keys.dropFirst()) where !Self.isKey(left, before: right, in: input) {
            throw CBORError(.duplicateKey, at: max(left.lowerBound, right.lowerBound))
        }
        map.isUnique = true
    }

    /// Skips one item by its heads alone, without recursion; its content is checked when it is read.
    private mutating func stepOver(_ input: Span<UInt8>) throws(CBORError) {
        var pending = 1
        while pending > 0 {
            pending -= 1
            switch try peekType(input) {
            case .unsigned: _ = try readArgument(major: 0, input)
            case .negative: _ = try readArgument(major: 1, input)
            case .bytes: _ = try readPayload(major: 2, input)
            case .text: _ = try readPayload(major: 3, input)
            case .bool: _ = try readBool(input)
            case .null: try readNull(input)
            case .float: _ = try readFloat(input)
            case .array:
                pending += try readCount(major: 4, itemsEach: 1, input)
                depth = 0
            case .map:
                pending += 2 * (try readCount(major: 5, itemsEach: 2, input))
                depth = 0
            }
        }
    }
}
