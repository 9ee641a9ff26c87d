extension JSONReader {
    /// Reads a string and returns its position; checks its UTF-8 and its escapes.
    package mutating func readText(_ input: Span<UInt8>) throws(JSONError) -> Text {
        skipWhitespace(input)
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        guard input[offset] == UInt8(ascii: "\"") else { throw JSONError(.wrongType, at: offset) }
        try countItem()
        offset += 1
        let start = offset
        var isPlain = true
        while offset < input.count {
            let byte = input[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return Text(range: start..<(offset - 1), isPlain: isPlain)
            }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                _ = try readEscape(input)
            } else if byte < 0x20 {
                throw JSONError(.unexpectedByte, at: offset)
            } else if byte < 0x80 {
                offset += 1
            } else {
                try skipScalar(input)
            }
        }
        throw JSONError(.truncated, at: offset)
    }

    /// Reads a string and resolves its escapes.
    package mutating func readString(_ input: Span<UInt8>) throws(JSONError) -> String {
        let text = try readText(input)
        return try string(text, input)
    }

    /// The characters of a string at a position.
    package func string(_ text: Text, _ input: Span<UInt8>) throws(JSONError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.range.count)
        if text.isPlain {
            for index in text.range { bytes.append(input[index]) }
        } else {
            var reader = JSONReader(at: text.range.lowerBound)
            while reader.offset < text.range.upperBound {
                if input[reader.offset] == UInt8(ascii: "\\") {
                    bytes.append(contentsOf: String(try reader.readEscape(input)).utf8)
                } else {
                    bytes.append(input[reader.offset])
                    reader.offset += 1
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The index of the name that equals the string at a position, with escapes resolved; `nil` if none does.
    package func index(of text: Text, in names: MemberNames, _ input: Span<UInt8>) -> Int? {
        if text.isPlain { return names.index(of: text.range, input) }
        guard let resolved = try? string(text, input) else { return nil }
        let bytes = Array(resolved.utf8)
        return names.index(of: 0..<bytes.count, bytes.span)
    }

    /// Reads a string of canonical base64url without padding.
    package mutating func readBase64URL(_ input: Span<UInt8>) throws(JSONError) -> [UInt8] {
        skipWhitespace(input)
        let start = offset
        // Fast path: find the closing quote and decode the bytes before it. Anything that is not base64url, including
        // an escape, fails there; the slow path then finds the reason.
        if start < input.count, input[start] == UInt8(ascii: "\"") {
            var end = start &+ 1
            while end < input.count, input[end] != UInt8(ascii: "\"") { end &+= 1 }
            if end < input.count, let decoded = Base64URL.decode(input, (start + 1)..<end) {
                try countItem()
                offset = end + 1
                return decoded
            }
        }
        let text = try readText(input)
        guard !text.isPlain, let decoded = Base64URL.decode(try string(text, input)) else {
            throw JSONError(.notBase64URL, at: start)
        }
        return decoded
    }

    // MARK: Escapes and UTF-8

    private mutating func readEscape(_ input: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard offset < input.count else { throw JSONError(.truncated, at: offset) }
        let byte = input[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try readHexadecimal(input)
            if let scalar = Unicode.Scalar(first) { return scalar }
            // RFC 8259, section 7: a character beyond the basic plane is a surrogate pair.
            guard first < 0xdc00, offset + 1 < input.count, input[offset] == UInt8(ascii: "\\"),
                input[offset + 1] == UInt8(ascii: "u")
            else { throw JSONError(.invalidEscape, at: start) }
            offset += 2
            let second = try readHexadecimal(input)
            guard (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            else { throw JSONError(.invalidEscape, at: start) }
            return scalar
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    private mutating func readHexadecimal(_ input: Span<UInt8>) throws(JSONError) -> UInt32 {
        guard input.count - offset >= 4 else { throw JSONError(.truncated, at: offset) }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(input[offset]) else { throw JSONError(.invalidEscape, at: offset) }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    /// Skips one scalar of two to four bytes (Unicode 17, table 3-7: no overlong form, no surrogate).
    private mutating func skipScalar(_ input: Span<UInt8>) throws(JSONError) {
        let lead = input[offset]
        let length: Int
        var lower: UInt8 = 0x80
        var upper: UInt8 = 0xbf
        switch lead {
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, lower) = (3, 0xa0)
        case 0xed: (length, upper) = (3, 0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, lower) = (4, 0x90)
        case 0xf1...0xf3: length = 4
        case 0xf4: (length, upper) = (4, 0x8f)
        default: throw JSONError(.invalidUTF8, at: offset)
        }
        guard input.count - offset >= length else { throw JSONError(.invalidUTF8, at: offset) }
        guard (lower...upper).contains(input[offset + 1]) else { throw JSONError(.invalidUTF8, at: offset) }
        for index in 2..<max(2, length) where input[offset + index] & 0xc0 != 0x80 {
            throw JSONError(.invalidUTF8, at: offset)
        }
        offset += length
    }
}
