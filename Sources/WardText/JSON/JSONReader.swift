/// A cursor over JSON text (RFC 8259).
///
/// It does not hold the bytes: every call takes the same span.
///
/// It reads once from front to back and allocates nothing itself. It refuses bytes that are not UTF-8, lone surrogates,
/// trailing bytes and deep nesting. Its callers know the names, so they refuse duplicate members.
package struct JSONReader: Sendable {
    /// The position of the next byte.
    package internal(set) var offset: Int
    private var depth = 0
    private var items = 0
    private let limits: JSONLimits

    /// Starts at `offset`.
    package init(at offset: Int = 0, limits: JSONLimits = .message) {
        self.offset = offset
        self.limits = limits
    }

    /// The kind of the next value.
    package enum Kind: Sendable { case object, array, string, number, bool, null }

    /// The members of an object that is being read.
    package struct Members: Sendable { fileprivate var isFirst = true }

    /// The elements of an array that is being read.
    package struct Elements: Sendable { fileprivate var isFirst = true }

    /// A string's position in the text, without its quotes.
    package struct Text: Sendable {
        /// The bytes between the quotes.
        package let range: Range<Int>
        /// Whether the string has no escapes.
        package let isPlain: Bool
    }

    /// Returns the kind of the next value without reading it.
    package mutating func peek(_ input: Span<UInt8>) throws(JSONError) -> Kind {
        skipWhitespace(input)
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        switch input[offset] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw JSONError(.unexpectedByte, at: offset)
        }
    }

    // MARK: Objects and arrays

    /// Reads `{`.
    package mutating func readObject(_ input: Span<UInt8>) throws(JSONError) -> Members {
        try open(UInt8(ascii: "{"), input)
        return Members()
    }

    /// Reads a member's name up to its value, or reads the closing `}` and returns `nil`.
    package mutating func nextName(_ members: inout Members, _ input: Span<UInt8>) throws(JSONError) -> Text? {
        guard try advance(&members.isFirst, closing: UInt8(ascii: "}"), input) else { return nil }
        let name = try readText(input)
        try expect(UInt8(ascii: ":"), input)
        return name
    }

    /// Reads `[`.
    package mutating func readArray(_ input: Span<UInt8>) throws(JSONError) -> Elements {
        try open(UInt8(ascii: "["), input)
        return Elements()
    }

    /// Whether another element follows.
    ///
    /// If not, reads the closing `]`.
    package mutating func nextElement(_ elements: inout Elements, _ input: Span<UInt8>) throws(JSONError) -> Bool {
        try advance(&elements.isFirst, closing: UInt8(ascii: "]"), input)
    }

    // MARK: Values

    /// Reads `true` or `false`.
    package mutating func readBool(_ input: Span<UInt8>) throws(JSONError) -> Bool {
        guard try peek(input) == .bool else { throw JSONError(.wrongType, at: offset) }
        try countItem()
        if input[offset] == UInt8(ascii: "t") {
            try readWord([0x74, 0x72, 0x75, 0x65], input)
            return true
        }
        try readWord([0x66, 0x61, 0x6c, 0x73, 0x65], input)
        return false
    }

    /// Reads `null` if it is next.
    package mutating func readNullIfPresent(_ input: Span<UInt8>) throws(JSONError) -> Bool {
        guard try peek(input) == .null else { return false }
        try countItem()
        try readWord([0x6e, 0x75, 0x6c, 0x6c], input)
        return true
    }

    /// Reads a number and returns the position of its text.
    package mutating func readNumber(_ input: Span<UInt8>) throws(JSONError) -> Range<Int> {
        guard try peek(input) == .number else { throw JSONError(.wrongType, at: offset) }
        try countItem()
        let start = offset
        if input[offset] == UInt8(ascii: "-") { offset += 1 }
        let integerStart = offset
        let integerDigits = skipDigits(input)
        guard integerDigits > 0, integerDigits == 1 || input[integerStart] != UInt8(ascii: "0") else {
            throw JSONError(.invalidNumber, at: start)
        }
        if offset < input.count, input[offset] == UInt8(ascii: ".") {
            offset += 1
            guard skipDigits(input) > 0 else { throw JSONError(.invalidNumber, at: start) }
        }
        if offset < input.count, input[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < input.count, input[offset] == UInt8(ascii: "+") || input[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            guard skipDigits(input) > 0 else { throw JSONError(.invalidNumber, at: start) }
        }
        guard offset - start <= 64 else { throw JSONError(.invalidNumber, at: start) }
        return start..<offset
    }

    /// Skips one whole value, checks it, and returns its position.
    package mutating func skip(_ input: Span<UInt8>) throws(JSONError) -> Range<Int> {
        let kind = try peek(input)
        let start = offset
        switch kind {
        case .object:
            var members = try readObject(input)
            while try nextName(&members, input) != nil { _ = try skip(input) }
        case .array:
            var elements = try readArray(input)
            while try nextElement(&elements, input) { _ = try skip(input) }
        case .string: _ = try readText(input)
        case .number: _ = try readNumber(input)
        case .bool: _ = try readBool(input)
        case .null: _ = try readNullIfPresent(input)
        }
        return start..<offset
    }

    /// Throws unless only white space remains.
    package mutating func finish(_ input: Span<UInt8>) throws(JSONError) {
        skipWhitespace(input)
        guard offset == input.count else { throw JSONError(.trailingBytes, at: offset) }
    }

    // MARK: Pieces

    mutating func skipWhitespace(_ input: Span<UInt8>) {
        while offset < input.count {
            switch input[offset] {
            case 0x20, 0x0a, 0x0d, 0x09: offset += 1
            default: return
            }
        }
    }

    mutating func expect(_ byte: UInt8, _ input: Span<UInt8>) throws(JSONError) {
        skipWhitespace(input)
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        guard input[offset] == byte else { throw JSONError(.unexpectedByte, at: offset) }
        offset += 1
    }

    mutating func countItem() throws(JSONError) {
        items += 1
        guard items <= limits.items else { throw JSONError(.tooManyItems, at: offset) }
    }

    private mutating func open(_ byte: UInt8, _ input: Span<UInt8>) throws(JSONError) {
        skipWhitespace(input)
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        guard input[offset] == byte else { throw JSONError(.wrongType, at: offset) }
        try countItem()
        depth += 1
        guard depth <= limits.depth else { throw JSONError(.tooDeep, at: offset) }
        offset += 1
    }

    private mutating func advance(
        _ isFirst: inout Bool,
        closing: UInt8,
        _ input: Span<UInt8>
    ) throws(JSONError) -> Bool {
        skipWhitespace(input)
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        if input[offset] == closing {
            offset += 1
            depth -= 1
            return false
        }
        if isFirst {
            isFirst = false
        } else {
            try expect(UInt8(ascii: ","), input)
        }
        return true
    }

    private mutating func skipDigits(_ input: Span<UInt8>) -> Int {
        let start = offset
        while offset < input.count, input[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        return offset - start
    }

    private mutating func readWord(_ word: InlineArray<4, UInt8>, _ input: Span<UInt8>) throws(JSONError) {
        for index in word.indices { try readExactly(word[index], input) }
    }

    private mutating func readWord(_ word: InlineArray<5, UInt8>, _ input: Span<UInt8>) throws(JSONError) {
        for index in word.indices { try readExactly(word[index], input) }
    }

    private mutating func readExactly(_ byte: UInt8, _ input: Span<UInt8>) throws(JSONError) {
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        guard input[offset] == byte else { throw JSONError(.unexpectedByte, at: offset) }
        offset += 1
    }
}
