/// A user name that cannot be had, with the reason, so that a page can tell the person in their language.
public struct UsernameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case empty
            case tooLong = "too_long"
            case containsSpace = "contains_space"
            case containsControl = "contains_control"
            case containsInvisible = "contains_invisible"
            case containsSymbol = "contains_symbol"
            case containsUnusualLetter = "contains_unusual_letter"
            case containsUnknown = "contains_unknown"
            case startsWithMark = "starts_with_mark"
            case misplacedCharacter = "misplaced_character"
            case mixedDirections = "mixed_directions"
        }

        private let base: Base

        /// Nothing was typed.
        public static var empty: Self { .init(base: .empty) }
        /// There is more than ``Username/maximumCharacters`` or one of the bounds beside it allows.
        public static var tooLong: Self { .init(base: .tooLong) }
        /// A space, tab or line break, of whatever width.
        public static var containsSpace: Self { .init(base: .containsSpace) }
        /// A control character.
        public static var containsControl: Self { .init(base: .containsControl) }
        /// A character that is not seen: zero-width ones, joiners, fillers, variation selectors, soft hyphens.
        public static var containsInvisible: Self { .init(base: .containsInvisible) }
        /// A symbol, an emoji, or punctuation that is not on an English keyboard.
        public static var containsSymbol: Self { .init(base: .containsSymbol) }
        /// A variant of an ordinary letter or digit (ligatures, mathematical or enclosed letters, numerals, fractions)
        /// or a letter that names are not written with.
        public static var containsUnusualLetter: Self { .init(base: .containsUnusualLetter) }
        /// A private character, or one that this version of Unicode does not know.
        public static var containsUnknown: Self { .init(base: .containsUnknown) }
        /// An accent or vowel sign with no letter before it.
        public static var startsWithMark: Self { .init(base: .startsWithMark) }
        /// A character that is only allowed next to certain others, such as the middle dot between two l.
        public static var misplacedCharacter: Self { .init(base: .misplacedCharacter) }
        /// Right-to-left and left-to-right letters in one name, or digits where they would jump about.
        public static var mixedDirections: Self { .init(base: .mixedDirections) }

        /// A stable word for logs and JSON, such as `contains_space`.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// The character it was found at, if it is one.
    public let scalar: Unicode.Scalar?
    /// One line for a log.
    public var description: String {
        guard let scalar else { return code.name }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\(code.name): U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }

    init(_ code: Code, at scalar: Unicode.Scalar? = nil) {
        self.code = code
        self.scalar = scalar
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
