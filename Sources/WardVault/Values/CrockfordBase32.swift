/// Douglas Crockford's base32, for reading aloud and typing: it has no `U`, and `O`, `I`, `L` count as the similar
/// digits.
enum CrockfordBase32 {
    static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".unicodeScalars)
    private static let upperCase = digits.map { UInt8(ascii: $0) }
    private static let lowerCase = upperCase.map { $0 < UInt8(ascii: "A") ? $0 : $0 | 0x20 }

    /// The text of `bytes`; unused bits of the last digit are zero.
    static func encode(_ bytes: [UInt8], isLowerCase: Bool = false) -> String {
        let digits = isLowerCase ? lowerCase : upperCase
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[Int(buffer >> bits & 0x1f)])
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { text.append(digits[Int(buffer << (5 - bits) & 0x1f)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text in any case, with or without spaces and hyphens; `nil` for other characters, for unused bits
    /// that are not zero, and for an impossible length.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for scalar in text.unicodeScalars {
            if isPassedOver(scalar) { continue }
            guard let value = value(scalar) else { return nil }
            buffer = buffer << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
                buffer &= (1 << bits) - 1
            }
        }
        return bits < 5 && buffer == 0 ? bytes : nil
    }

    /// Whether a character is ignored: white space, and hyphens of keyboards and word processors.
    static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "-" || ("\u{2010}"..."\u{2015}").contains(scalar)
            || scalar == "\u{2212}"
    }

    /// Five bits, or `nil` for a character outside the alphabet.
    static func value(_ scalar: Unicode.Scalar) -> UInt32? {
        let upper = ("a"..."z").contains(scalar) ? Unicode.Scalar(scalar.value - 0x20) ?? scalar : scalar
        switch upper {
        case "O": return 0
        case "I", "L": return 1
        default: return digits.firstIndex(of: upper).map { UInt32($0) }
        }
    }
}
