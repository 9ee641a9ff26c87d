extension CBORValue {
    /// Decodes bytes that are exactly one item.
    ///
    /// - Throws: ``CBORError`` unless the bytes are exactly one canonical item within the rules.
    public static func decode(_ bytes: [UInt8], rules: CBORRules = .ctap2) throws(CBORError) -> CBORValue {
        let input = bytes.span
        var reader = CBORReader(rules: rules)
        let value = try reader.readValue(input)
        try reader.finish(input)
        return value
    }
}

extension CBORReader {
    /// Reads one whole item of any kind as a tree.
    public mutating func readValue(_ input: Span<UInt8>) throws(CBORError) -> CBORValue {
        switch try peekType(input) {
        case .unsigned: return .unsigned(try readUnsigned(input))
        case .negative: return .negative(try readNegative(input))
        case .bytes: return .bytes(Self.copy(try readBytes(input), of: input))
        case .text: return .text(try readTextString(input))
        case .bool: return .bool(try readBool(input))
        case .null:
            try readNull(input)
            return .null
        case .float: return .float(try readFloat(input))
        case .array:
            var array = try readArray(input)
            var elements: [CBORValue] = []
            elements.reserveCapacity(array.count)
            while try nextElement(&array, input) { elements.append(try readValue(input)) }
            return .array(elements)
        case .map:
            var map = try readMap(input)
            var pairs: [CBORPair] = []
            pairs.reserveCapacity(map.count)
            while let key = try nextKey(&map, input) {
                pairs.append(CBORPair(key: Self.value(of: key, in: input), value: try readValue(input)))
            }
            return .map(pairs)
        }
    }

    /// Copies a range of this input; empty if it is outside.
    public static func copy(_ range: Range<Int>, of input: Span<UInt8>) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= input.count else { return [] }
        // No pointer outlives the closure. It copies sixteen bytes at a time; a loop copies one.
        return unsafe input.extracting(range).withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    private static func value(of key: CBORKey, in input: Span<UInt8>) -> CBORValue {
        switch key {
        case .integer(let number): .integer(number)
        case .text(let range): .text(String(decoding: copy(range, of: input), as: UTF8.self))
        }
    }
}
