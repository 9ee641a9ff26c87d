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

    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count / 3 * 4 + [0, 2, 3][bytes.count % 3]
        return [UInt8](capacity: count) { output in
            var index = 0
            while index < bytes.count {
                let left = bytes.count - index
                var group = UInt32(bytes[index]) << 16
                if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
                if left > 2 { group |= UInt32(bytes[index + 2]) }
                output.append(digit(group >> 18))
                output.append(digit(group >> 12))
                if left > 1 { output.append(digit(group >> 6)) }
                if left > 2 { output.append(digit(group)) }
                index += 3
            }
        }
    }

    package static func decode(_ input: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        let rest = range.count % 4
        guard rest != 1, range.lowerBound >= 0, range.upperBound <= input.count else { return nil }
        let count = range.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        // A byte outside the alphabet sets a bit above the sixth; an unused bit that is not zero does the same.
        var invalid: UInt32 = 0
        let values = Self.values
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

    private static func digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 0x3f)
        switch value {
        case 0..<26: return UInt8(ascii: "A") + value
        case 26..<52: return UInt8(ascii: "a") + (value - 26)
        case 52..<62: return UInt8(ascii: "0") + (value - 52)
        case 62: return UInt8(ascii: "-")
        default: return UInt8(ascii: "_")
        }
    }

    /// The six bits of every byte, or `0x40` for a byte outside the alphabet.
    private static let values: [UInt8] = (0...255).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(byte) - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(byte) - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(byte) - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: 0x40
        }
    }
}
