/// The text form of the secrets of verification codes: base32 with the alphabet of RFC 4648, section 6.
public enum Base32 {
    /// The text of `bytes`, upper case, without padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = ""
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.unicodeScalars.append(digit(buffer >> bits))
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { text.unicodeScalars.append(digit(buffer << (5 - bits))) }
        return text
    }

    /// The bytes of a text in the form in which people and sites write it, or `nil` if it is not base32.
    ///
    /// Case does not matter; white space (also as `+`), hyphens and padding are ignored. `0`, `1` and `8`, which the
    /// alphabet lacks, count as the similar letters `O`, `L` and `B`. Bits that do not fill a byte are dropped, as in
    /// every authenticator app.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 5 / 8)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        var isPadded = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || scalar == "-" || scalar == "+" { continue }
            if scalar == "=" {
                isPadded = true
                continue
            }
            guard !isPadded, let value = value(scalar) else { return nil }
            buffer = buffer << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
                buffer &= (1 << bits) - 1
            }
        }
        return bytes
    }

    private static func digit(_ value: UInt32) -> Unicode.Scalar {
        let low = UInt8(truncatingIfNeeded: value & 0x1f)
        return Unicode.Scalar(low < 26 ? UInt8(ascii: "A") + low : UInt8(ascii: "2") + (low - 26))
    }

    private static func value(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "A"..."Z": scalar.value - 0x41
        case "a"..."z": scalar.value - 0x61
        case "2"..."7": scalar.value - 0x32 + 26
        case "0": 14
        case "1": 11
        case "8": 1
        default: nil
        }
    }
}
