/// Base64url without padding (RFC 4648, section 5), strict: one text per byte string.
///
/// Kept here, small, so that accounts do not pull in the standard's module for two conversions.
enum Base64URLText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | UInt32(byte)) & 0xffff
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits)) & 0x3f])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits)) & 0x3f]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or `nil` for anything but exactly `count` bytes in canonical form.
    static func decode(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == (count * 8 + 5) / 6 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var buffer: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            buffer = (buffer << 6 | value) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        // Left-over bits must be zero, or two texts would mean the same bytes.
        guard buffer & ((1 << UInt32(bits)) - 1) == 0, bytes.count == count else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5a: UInt32(character) - 0x41
        case 0x61...0x7a: UInt32(character) - 0x61 + 26
        case 0x30...0x39: UInt32(character) - 0x30 + 52
        case 0x2d: 62
        case 0x5f: 63
        default: nil
        }
    }
}
