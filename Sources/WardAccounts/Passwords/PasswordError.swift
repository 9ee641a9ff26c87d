/// Why a text can be nobody's password; never says which text.
public struct PasswordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable word for logs and JSON, such as `too_short`.
        public let name: String

        /// It has fewer than ``AccountPassword/minimumScalars`` characters.
        public static let tooShort = Self(name: "too_short")
        /// It takes more than ``AccountPassword/maximumBytes`` bytes.
        public static let tooLong = Self(name: "too_long")
        /// It has a character that is not seen, or not the same everywhere: controls, invisible ones, private and unassigned ones.
        public static let characterNotAllowed = Self(name: "character_not_allowed")
    }

    /// What is wrong.
    public let code: Code
    /// One line for a log.
    public var description: String { code.name }

    init(_ code: Code) {
        self.code = code
    }
}
