extension CBORReader {
    /// Reads a byte string and returns its position.
    @inlinable
    public mutating func readBytes(_ input: Span<UInt8>) throws(CBORError) -> Range<Int> {
        try readPayload(major: 2, input)
    }

    /// Reads a text string, checks its UTF-8, and returns its position.
    @inlinable
    public mutating func readText(_ input: Span<UInt8>) throws(CBORError) -> Range<Int> {
        let start = position
        let range = try readPayload(major: 3, input)
        for index in range where input[index] >= 0x80 {
            guard Self.isUTF8(range, in: input) else { throw CBORError(.invalidUTF8, at: start) }
            break
        }
        return range
    }

    /// Reads a text string into a `String`.
    public mutating func readTextString(_ input: Span<UInt8>) throws(CBORError) -> String {
        let start = position
        let range = try readPayload(major: 3, input)
        do {
            return String(copying: try UTF8Span(validating: input.extracting(range)))
        } catch {
            throw CBORError(.invalidUTF8, at: start)
        }
    }

    /// Whether a range of this input contains exactly this text, byte for byte.
    @inlinable
    public static func isText(_ text: String, at range: Range<Int>, in input: Span<UInt8>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= input.count else { return false }
        let utf8 = text.utf8.span
        guard utf8.count == range.count else { return false }
        for index in 0..<utf8.count where utf8[index] != input[range.lowerBound + index] { return false }
        return true
    }

    /// Reads the head of a string and skips its content.
    @inlinable
    mutating func readPayload(major: UInt8, _ input: Span<UInt8>) throws(CBORError) -> Range<Int> {
        let start = position
        let length = try readArgument(major: major, input)
        guard length <= UInt64(clamping: rules.maximumLength) else { throw CBORError(.tooLong, at: start) }
        guard length <= UInt64(clamping: input.count - position) else { throw CBORError(.truncated, at: start) }
        let lower = position
        position = lower + Int(truncatingIfNeeded: length)
        return lower..<position
    }

    @usableFromInline
    static func isUTF8(_ range: Range<Int>, in input: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: input.extracting(range))) != nil
    }
}
