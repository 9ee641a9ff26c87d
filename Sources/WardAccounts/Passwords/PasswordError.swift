public import WardText

/// Why a text is not a valid password.
///
/// It never contains the text.
public struct PasswordError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON, such as `too_short`.
        public let name: String

        /// The password has fewer than ``AccountPassword/minimumScalars`` characters.
        public static let tooShort = Self(name: "too_short")
        /// The password has more than ``AccountPassword/maximumBytes`` bytes.
        public static let tooLong = Self(name: "too_long")
        /// The password has a control, invisible, private-use or unassigned character.
        public static let characterNotAllowed = Self(name: "character_not_allowed")
    }

    /// What is wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}
