/// A set of printable ASCII characters, which a password may have.
package struct PasswordCharacters: Hashable, Sendable {
    /// One bit for each character from U+0020 to U+007E.
    private var bits: UInt128

    private init(bits: UInt128) { self.bits = bits }

    /// The printable ASCII characters of a text.
    ///
    /// All others are left out.
    package init(_ text: String) {
        self.init(bits: text.utf8.reduce(into: 0) { $0 |= Self.bit($1) })
    }

    /// The letters `a` to `z`.
    package static let lower = Self("abcdefghijklmnopqrstuvwxyz")
    /// The letters `A` to `Z`.
    package static let upper = Self("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    /// The digits `0` to `9`.
    package static let digit = Self("0123456789")
    /// The printable ASCII characters that are no letters and no digits, with the space.
    ///
    /// The backslash and the slash are not among them, as in the definition of the rules.
    package static let special = Self(##"-~!@#$%^&*_+=`|(){}[:;"'<>,.?] "##)
    /// All printable ASCII characters, with the space.
    package static let asciiPrintable = Self(String(decoding: (0x20...0x7e).map { UInt8($0) }, as: UTF8.self))
    /// No character.
    package static let none = Self("")
    /// The characters that people confuse with others when they type a password from a screen.
    static let lookAlikes = Self("0O1lIo")

    private static func bit(_ character: UInt8) -> UInt128 {
        (0x20...0x7e).contains(character) ? 1 << UInt128(character - 0x20) : 0
    }

    /// The characters, in the order of their codes.
    package var all: [UInt8] { (0x20...0x7e).filter { contains($0) } }

    /// The number of characters.
    package var count: Int { bits.nonzeroBitCount }

    /// Whether there is no character in the set.
    package var isEmpty: Bool { bits == 0 }

    /// Whether a byte is the code of a character in the set.
    package func contains(_ character: UInt8) -> Bool { bits & Self.bit(character) != 0 }

    /// Whether every character of another set is in this one.
    package func contains(all other: Self) -> Bool { other.bits & ~bits == 0 }

    /// The characters of both sets.
    package func union(_ other: Self) -> Self { Self(bits: bits | other.bits) }

    /// The characters that are in both sets.
    package func intersection(_ other: Self) -> Self { Self(bits: bits & other.bits) }

    /// The characters without those of another set.
    package func subtracting(_ other: Self) -> Self { Self(bits: bits & ~other.bits) }

    /// The characters without those of another set, if any are left; otherwise all.
    func subtractingIfPossible(_ other: Self) -> Self {
        let rest = subtracting(other)
        return rest.isEmpty ? self : rest
    }
}
