/// Base64url without padding, the only text form of bytes in WebAuthn's JSON.
///
/// RFC 4648, section 5; WebAuthn Level 3, [§3](https://www.w3.org/TR/webauthn-3/#base64url-encoding).
public enum Base64URL {
    /// The text form of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The bytes of `text`, or `nil` if it is not canonical base64url.
    ///
    /// Refused are padding, white space, the `+` and `/` of plain base64, an impossible length, and unused bits that
    /// are not zero. So two different texts never mean the same bytes.
    public static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        return decode(bytes.span, 0..<bytes.count)
    }

    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] { Base64Alphabet.url.encode(bytes) }

    package static func decode(_ input: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        Base64Alphabet.url.decode(input, range)
    }
}

/// Base64 with `+` and `/`, for the formats that have it: certificates, password hashes, HTTP, what people paste.
///
/// RFC 4648, section 4.
package enum Base64 {
    /// The text form of `bytes`, with or without `=` at its end.
    package static func encode(_ bytes: [UInt8], padding: Bool = true) -> String {
        var digits = Base64Alphabet.plain.encode(bytes)
        while padding, !digits.count.isMultiple(of: 4) { digits.append(UInt8(ascii: "=")) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of `text`, or `nil` if it is not canonical base64.
    ///
    /// The text must be padded, or must not be with `padding: false`. White space is refused.
    package static func decode(_ text: String, padding: Bool = true) -> [UInt8]? {
        var digits = Array(text.utf8)
        if padding {
            guard digits.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        return Base64Alphabet.plain.decode(digits.span, 0..<digits.count)
    }

    /// The bytes of a text that a person or a program with other rules wrote.
    ///
    /// Takes either alphabet, white space, and padding or none. An impossible length and unused bits that are not zero are
    /// refused.
    package static func decode(lenient text: String) -> [UInt8]? {
        let digits = text.unicodeScalars.compactMap { scalar -> UInt8? in
            guard !scalar.properties.isWhitespace, scalar != "=" else { return nil }
            return scalar == "+"
                ? UInt8(ascii: "-") : scalar == "/" ? UInt8(ascii: "_") : UInt8(exactly: scalar.value) ?? 0
        }
        return Base64Alphabet.url.decode(digits.span, 0..<digits.count)
    }
}

/// The 64 digits of one form of base64, and the way back from them.
private struct Base64Alphabet: Sendable {
    static let url = Base64Alphabet("-_")
    static let plain = Base64Alphabet("+/")

    private let digits: [UInt8]
    /// The six bits of every byte, or `0x40` for a byte outside the alphabet.
    private let values: [UInt8]

    private init(_ last: String) {
        digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: 0x40, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: [UInt8]) -> [UInt8] {
        let digits = digits.span
        let count = bytes.count / 3 * 4 + [0, 2, 3][bytes.count % 3]
        return [UInt8](capacity: count) { output in
            var index = 0
            while index < bytes.count {
                let left = bytes.count - index
                var group = UInt32(bytes[index]) << 16
                if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
                if left > 2 { group |= UInt32(bytes[index + 2]) }
                output.append(digits[Int(group >> 18)])
                output.append(digits[Int(group >> 12 & 0x3f)])
                if left > 1 { output.append(digits[Int(group >> 6 & 0x3f)]) }
                if left > 2 { output.append(digits[Int(group & 0x3f)]) }
                index += 3
            }
        }
    }

    func decode(_ input: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        let rest = range.count % 4
        guard rest != 1, range.lowerBound >= 0, range.upperBound <= input.count else { return nil }
        let count = range.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        // A byte outside the alphabet sets a bit above the sixth; an unused bit that is not zero does the same.
        var invalid: UInt32 = 0
        let table = values.span
        let decoded = [UInt8](capacity: count) { output in
            var index = range.lowerBound
            let whole = range.upperBound - rest
            while index < whole {
                let a = UInt32(table[Int(input[index])])
                let b = UInt32(table[Int(input[index &+ 1])])
                let c = UInt32(table[Int(input[index &+ 2])])
                let d = UInt32(table[Int(input[index &+ 3])])
                invalid |= a | b | c | d
                let group = a << 18 | b << 12 | c << 6 | d
                output.append(UInt8(truncatingIfNeeded: group >> 16))
                output.append(UInt8(truncatingIfNeeded: group >> 8))
                output.append(UInt8(truncatingIfNeeded: group))
                index &+= 4
            }
            if rest >= 2 {
                let a = UInt32(table[Int(input[index])])
                let b = UInt32(table[Int(input[index &+ 1])])
                invalid |= a | b
                output.append(UInt8(truncatingIfNeeded: a << 2 | b >> 4))
                if rest == 2 {
                    if b & 0x0f != 0 { invalid |= 0x40 }
                } else {
                    let c = UInt32(table[Int(input[index &+ 2])])
                    invalid |= c
                    output.append(UInt8(truncatingIfNeeded: b << 4 | c >> 2))
                    if c & 0x03 != 0 { invalid |= 0x40 }
                }
            }
        }
        return invalid & 0x40 == 0 ? decoded : nil
    }
}
