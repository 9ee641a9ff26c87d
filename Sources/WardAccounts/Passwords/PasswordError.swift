/// Why a text can be nobody's password; never says which text.
public struct PasswordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case tooShort = "too_short"
            case tooLong = "too_long"
            case characterNotAllowed = "character_not_allowed"
        }

        private let base: Base

        /// It has fewer than ``AccountPassword/minimumScalars`` characters.
        public static var tooShort: Self { .init(base: .tooShort) }
        /// It takes more than ``AccountPassword/maximumBytes`` bytes.
        public static var tooLong: Self { .init(base: .tooLong) }
        /// It has a character that is not seen, or not the same everywhere: controls, invisible ones, private and unassigned ones.
        public static var characterNotAllowed: Self { .init(base: .characterNotAllowed) }

        /// A stable word for logs and JSON, such as `too_short`.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// One line for a log.
    public var description: String { code.name }

    init(_ code: Code) {
        self.code = code
    }
}
