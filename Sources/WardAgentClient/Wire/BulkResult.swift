internal import WardText

/// A result with up to ten thousand members, for which Foundation's coders take a tenth of a second.
///
/// The JSON is the same as from Foundation's coders, with sorted names and without white space. Foundation reads any other
/// input.
protocol BulkResult: Codable {
    /// Writes the value.
    func write(to writer: inout BulkWriter)
    /// Reads the output of ``write(to:)``; `nil` for any other input.
    init?(_ reader: inout BulkReader, _ input: Span<UInt8>)
}

/// JSON that is being written.
struct BulkWriter {
    private(set) var bytes: [UInt8] = []

    /// Reserves space, so that the written bytes need not be moved later.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Writes punctuation and names unchanged.
    mutating func write(literal text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func write(_ number: Int64) { bytes.append(contentsOf: String(number).utf8) }

    mutating func write(_ value: Bool) { write(literal: value ? "true" : "false") }

    mutating func write(_ text: String) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
            bytes.append(contentsOf: JSONValue.string(text).serialized)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func write(_ texts: [String]) {
        write(literal: "[")
        for (index, text) in texts.enumerated() {
            if index > 0 { write(literal: ",") }
            write(text)
        }
        write(literal: "]")
    }
}

/// A cursor over the output of ``BulkWriter``.
struct BulkReader {
    /// The position of the next byte.
    private(set) var offset = 0

    /// Skips a text if it comes next.
    mutating func skip(_ text: String, _ input: Span<UInt8>) -> Bool {
        var index = offset
        for byte in text.utf8 {
            guard index < input.count, input[index] == byte else { return false }
            index += 1
        }
        offset = index
        return true
    }

    mutating func integer(_ input: Span<UInt8>) -> Int64? {
        let isNegative = skip("-", input)
        var value: Int64 = 0
        let start = offset
        while offset < input.count, input[offset] &- UInt8(ascii: "0") < 10 {
            let digit = Int64(input[offset] - UInt8(ascii: "0"))
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { return nil }
            value = sum
            offset += 1
        }
        guard offset > start else { return nil }
        return isNegative ? -value : value
    }

    mutating func bool(_ input: Span<UInt8>) -> Bool? {
        if skip("true", input) { return true }
        return skip("false", input) ? false : nil
    }

    mutating func string(_ input: Span<UInt8>) -> String? {
        guard offset < input.count, input[offset] == UInt8(ascii: "\"") else { return nil }
        var end = offset + 1
        while end < input.count, input[end] >= 0x20, input[end] != UInt8(ascii: "\""), input[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        guard end < input.count else { return nil }
        if input[end] == UInt8(ascii: "\"") {
            guard let text = try? UTF8Span(validating: input.extracting((offset + 1)..<end)) else { return nil }
            offset = end + 1
            return String(copying: text)
        }
        var reader = JSONReader(at: offset)
        guard let text = try? reader.readString(input) else { return nil }
        offset = reader.offset
        return text
    }

    mutating func strings(_ input: Span<UInt8>) -> [String]? {
        guard skip("[", input) else { return nil }
        if skip("]", input) { return [] }
        var texts: [String] = []
        repeat {
            guard let text = string(input) else { return nil }
            texts.append(text)
        } while skip(",", input)
        return skip("]", input) ? texts : nil
    }
}
