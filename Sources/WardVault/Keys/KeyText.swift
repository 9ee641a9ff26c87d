internal import Crypto
public import WardText
internal import WardWebAuthn

/// Why a typed key is not one.
public struct KeyTextError: CodedError {
    /// What is wrong; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// Characters are missing, or too many.
        public static let length = Self(name: "length")
        /// A character that no key has.
        public static let character = Self(name: "character")
        /// A character is mistyped, or two are swapped, or it is another kind of key.
        public static let checksum = Self(name: "checksum")
    }

    /// What is wrong.
    public let code: Code
    /// One line for the one who types.
    public let description: String
}

/// The form of keys on paper: base32 in groups, the last bits being a checksum.
///
/// Typing is forgiven case, spaces, hyphens left out or put elsewhere, and `O`, `I`, `L` for the digits they look like.
struct KeyText {
    /// What the checksum is bound to, so that one kind of key is never taken for another.
    let context: String
    /// How many bytes the key has.
    let length: Int
    /// How many characters its text has, without hyphens; 5 bits each, and what the key leaves over is checksum.
    let characters: Int
    /// How many characters stand together.
    let group: Int

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
        guard drawn.count == length else { throw VaultError(.unavailable, "there is no randomness") }
        return try LockedBytes(drawn)
    }

    /// The key of a text, in locked memory.
    func read(_ text: String) throws(KeyTextError) -> LockedBytes {
        var key = try key(text)
        defer { key.wipe() }
        guard let locked = try? LockedBytes(key) else {
            throw KeyTextError(code: .length, description: "the system has no memory for keys")
        }
        return locked
    }

    private func key(_ text: String) throws(KeyTextError) -> [UInt8] {
        var bits: [UInt8] = []
        for scalar in text.unicodeScalars where !CrockfordBase32.isPassedOver(scalar) {
            guard let value = CrockfordBase32.value(scalar) else {
                throw KeyTextError(code: .character, description: "“\(scalar)” is in no key")
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
            throw KeyTextError(code: .checksum, description: "a letter or digit is mistyped: compare it with the paper")
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
