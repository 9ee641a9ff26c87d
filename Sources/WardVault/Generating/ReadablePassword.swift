/// Passwords that people can read and type: `gizvuP-maqbe8-dotkic`.
///
/// Three groups of two syllables stand between hyphens. One letter is a capital, and one group begins or ends with a digit.
package enum ReadablePassword {
    private static let consonants = Array("bcdfghjkmnpqrstvwxz".utf8)
    private static let vowels = Array("aeiouy".utf8)
    private static let digits = Array("23456789".utf8)
    private static let (groups, syllables) = (3, 6)
    /// Letters that are never capitals, because they look like others then.
    private static let neverCapital = Array("io".utf8)

    /// The number of characters, with the hyphens.
    package static let length = 20

    /// The number of different passwords, as a power of two: each counts once.
    ///
    /// A digit stands at one of six places instead of a consonant, and one of the other 17 letters is a capital. The letters
    /// `i` and `o` are never capitals, so the number is rounded down to what the others give.
    package static let bits: Double = {
        func log2(_ count: Int) -> Double { Double.log2(of: count) }
        let letters = 11 * log2(consonants.count) + 6 * log2(vowels.count)
        return letters + log2(6 * digits.count) + log2(11)
    }()

    /// Whether these passwords keep rules, but for the number of characters and for characters in a row.
    static func mayFit(_ rules: PasswordRules) -> Bool {
        func set(_ characters: [UInt8]) -> PasswordCharacters {
            PasswordCharacters(String(decoding: characters, as: UTF8.self))
        }
        let capitals = (consonants + vowels).filter { !neverCapital.contains($0) }.map { $0 - 0x20 }
        let kinds = [set(consonants + vowels), set(capitals), set(digits), PasswordCharacters("-")]
        return kinds.allSatisfy { rules.allowed.contains(all: $0) }
            && rules.required.allSatisfy { required in kinds.contains { required.contains(all: $0) } }
    }

    /// Draws a password.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        func drawn(_ characters: [UInt8]) -> UInt8 {
            characters[Int.random(in: 0..<characters.count, using: &generator)]
        }
        var letters: [UInt8] = []
        for _ in 0..<syllables { letters += [drawn(consonants), drawn(vowels), drawn(consonants)] }
        let groupLength = letters.count / groups
        let edges = (0..<groups).flatMap { [$0 * groupLength, $0 * groupLength + groupLength - 1] }
        let place = edges[Int.random(in: 0..<edges.count, using: &generator)]
        letters[place] = drawn(digits)
        let capitals = letters.indices.filter { $0 != place && !neverCapital.contains(letters[$0]) }
        // There are always some: at least eleven consonants are left.
        if let capital = capitals.randomElement(using: &generator) { letters[capital] -= 0x20 }
        let parts = (0..<groups).map { letters[$0 * groupLength..<($0 + 1) * groupLength] }
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}
