internal import Crypto
public import WardText
internal import WardWebAuthn

/// The reason why a typed text is not a key.
public struct KeyTextError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// The text has too few or too many characters.
        public static let length = Self(name: "length")
        /// The text has a character that no key has.
        public static let character = Self(name: "character")
        /// A character is wrong, two characters are swapped, or this is another kind of key.
        public static let checksum = Self(name: "checksum")
    }

    /// What is wrong.
    public let code: Code
    /// One line for the person who types.
    public let description: String
}

/// The form of keys on paper: base32 in groups.
///
/// The last bits are a checksum.
///
/// The reader accepts upper and lower case, spaces, missing or extra hyphens, and `O`, `I`, `L` instead of the digits that look
/// like them.
struct KeyText {
    /// The context of the checksum.
    ///
    /// It is different for each kind of key, so that one kind is never accepted as another.
    let context: String
    /// The length of the key, in bytes.
    let length: Int
    /// The length of the text without hyphens, in characters.
    ///
    /// A character has 5 bits, and the bits after the key are the checksum.
    let characters: Int
    /// The number of characters in a group.
    let group: Int

    /// Whether a text is written like a key of this form, whatever its characters are.
    func looksAlike(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isGrouped = groups.count == characters / group && groups.allSatisfy { $0.count == group }
        return (isGrouped || (groups.count == 1 && text.count == characters))
            && text.allSatisfy { $0 == "-" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
    }

    /// The text of a key.
    func text(_ key: [UInt8]) -> String {
        let bits = Self.bits(key) + checksum(key)
        let digits = stride(from: 0, to: characters * 5, by: 5).map { start in
            CrockfordBase32.digits[bits[start..<start + 5].reduce(0) { $0 << 1 | Int($1) }]
        }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, index % group == 0 { text.append("-") }
            text.unicodeScalars.append(digit)
        }
        return text
    }

    /// A key of random bits, in locked memory.
    func drawn(_ effects: Effects) throws(VaultError) -> LockedBytes {
        var drawn = effects.randomBytes(length)
        defer { drawn.wipe() }
        guard drawn.count == length else { throw VaultError(.unavailable, "the system has no random bytes") }
        return try LockedBytes(drawn)
    }

    /// The key of a text, in locked memory.
    func read(_ text: String) throws(KeyTextError) -> LockedBytes {
        var key = try key(text)
        defer { key.wipe() }
        guard let locked = try? LockedBytes(key) else {
            throw KeyTextError(code: .length, description: "the system has no locked memory left for keys")
        }
        return locked
    }

    private func key(_ text: String) throws(KeyTextError) -> [UInt8] {
        var bits: [UInt8] = []
        for scalar in text.unicodeScalars where !CrockfordBase32.isPassedOver(scalar) {
            guard let value = CrockfordBase32.value(scalar) else {
                throw KeyTextError(code: .character, description: "“\(scalar)” cannot be part of a key")
            }
            for shift in [4, 3, 2, 1, 0] as [UInt32] { bits.append(UInt8(value >> shift & 1)) }
            guard bits.count <= 5 * 1024 else { break }
        }
        guard bits.count == characters * 5 else {
            throw KeyTextError(
                code: .length,
                description: "the key has \(characters) letters and digits, \(bits.count / 5) were typed"
            )
        }
        let key = stride(from: 0, to: length * 8, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        guard Array(bits[(length * 8)...]) == checksum(key) else {
            throw KeyTextError(
                code: .checksum,
                description: "a letter or digit is wrong: compare the key with the paper"
            )
        }
        return key
    }

    /// The first bits of SHA-256 over the context, a zero byte and the key.
    private func checksum(_ key: [UInt8]) -> [UInt8] {
        let digest = Array(SHA256.hash(data: Array(context.utf8) + [0] + key))
        return Array(Self.bits(digest).prefix(characters * 5 - length * 8))
    }

    private static func bits(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    }
}
