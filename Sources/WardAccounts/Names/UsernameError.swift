public import WardText

/// Why a text is not a valid user name, so that a page can explain it in the person's language.
public struct UsernameError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON, such as `contains_space`.
        public let name: String

        /// The text is empty.
        public static let empty = Self(name: "empty")
        /// The text is longer than ``Username/maximumCharacters`` or the limits beside it.
        public static let tooLong = Self(name: "too_long")
        /// A space, tab or line break of any width.
        public static let containsSpace = Self(name: "contains_space")
        /// A control character.
        public static let containsControl = Self(name: "contains_control")
        /// An invisible character: a zero-width character, joiner, filler, variation selector or soft hyphen.
        public static let containsInvisible = Self(name: "contains_invisible")
        /// An emoji, or a symbol or punctuation mark outside ASCII.
        public static let containsSymbol = Self(name: "contains_symbol")
        /// A variant of an ordinary letter or digit (ligature, mathematical or enclosed letter, numeral, fraction), or
        /// a letter that is not used in names.
        public static let containsUnusualLetter = Self(name: "contains_unusual_letter")
        /// A private-use character, or a character that this version of Unicode does not have.
        public static let containsUnknown = Self(name: "contains_unknown")
        /// A combining mark without a letter before it.
        public static let startsWithMark = Self(name: "starts_with_mark")
        /// A character that is only allowed next to certain others, such as the middle dot between two l.
        public static let misplacedCharacter = Self(name: "misplaced_character")
        /// Right-to-left and left-to-right letters in one name, or digits that would be displayed in another order.
        public static let mixedDirections = Self(name: "mixed_directions")
    }

    /// What is wrong.
    public let code: Code
    /// The character with the problem, if there is one.
    public let scalar: Unicode.Scalar?
    /// A description on one line, for a log.
    public var description: String {
        guard let scalar else { return code.name }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\(code.name): U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }

    init(_ code: Code, at scalar: Unicode.Scalar? = nil) {
        self.code = code
        self.scalar = scalar
    }
}
