import Crypto

/// The code that a device shows and a person types: RFC 8628, [section 6.1](https://www.rfc-editor.org/rfc/rfc8628#section-6.1).
///
/// It has eight letters, which no keyboard hides, none of them a vowel, so that it spells no word. It is 34.5 bits strong, for
/// ten minutes, and wrong guesses are limited: ``Limits``.
package struct UserCode: Hashable, Sendable {
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let length = 8
    /// The longest text that is read, in bytes.
    private static let longestText = 64

    private let bytes: [UInt8]

    /// Draws a code; each letter is equally likely.
    package init(using randomBytes: (_ count: Int) -> [UInt8]) {
        let fair = UInt8.max - UInt8.max % UInt8(Self.letters.count)
        var bytes: [UInt8] = []
        while bytes.count < Self.length {
            for byte in randomBytes(Self.length) where byte < fair {
                bytes.append(Self.letters[Int(byte) % Self.letters.count])
            }
        }
        self.bytes = Array(bytes.prefix(Self.length))
    }

    /// Reads what a person typed, in letters of either case and either width; all other characters are ignored.
    ///
    /// - Returns: `nil` if it cannot be a code.
    package init?(typed text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        bytes = text.unicodeScalars.compactMap { scalar in
            let isWide = (0xff21...0xff5a).contains(scalar.value)
            guard let byte = UInt8(exactly: isWide ? scalar.value - 0xfee0 : scalar.value) else { return nil }
            let letter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
            return Self.letters.contains(letter) ? letter : nil
        }
        guard bytes.count == Self.length else { return nil }
    }

    /// The code as devices show it, such as `WDJB-MJHT`.
    package var text: String {
        let half = Self.length / 2
        return String(decoding: bytes.prefix(half) + [UInt8(ascii: "-")] + bytes.dropFirst(half), as: UTF8.self)
    }

    /// What the store has.
    ///
    /// A thief who has the store can try all codes; the code is worth nothing without a session and after ten minutes.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array("user code".utf8) + bytes)) }
}
