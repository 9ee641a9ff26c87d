/// Why a text is not the expected JSON.
///
/// Errors are equal if their codes are.
public struct JSONError: CodedError {
    /// The rule that the text breaks.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// The text ends inside a value.
        public static let truncated = Self(name: "truncated")
        /// A byte is not allowed here by the grammar of RFC 8259.
        public static let unexpectedByte = Self(name: "unexpected_byte")
        /// A string contains bytes that are not UTF-8.
        public static let invalidUTF8 = Self(name: "invalid_utf8")
        /// An invalid escape follows a backslash, or a surrogate is alone.
        public static let invalidEscape = Self(name: "invalid_escape")
        /// A number that RFC 8259 does not allow, or that does not fit a `Double`.
        public static let invalidNumber = Self(name: "invalid_number")
        /// An object has a duplicate member.
        public static let duplicateMember = Self(name: "duplicate_member")
        /// Arrays and objects are nested too deeply.
        public static let tooDeep = Self(name: "too_deep")
        /// The text has too many values.
        public static let tooManyItems = Self(name: "too_many_items")
        /// Bytes follow the value.
        public static let trailingBytes = Self(name: "trailing_bytes")
        /// A value has another type than expected.
        public static let wrongType = Self(name: "wrong_type")
        /// A string is not canonical base64url without padding.
        public static let notBase64URL = Self(name: "not_base64url")
    }

    /// The rule that the text breaks.
    public let code: Code
    /// The position in bytes from the start.
    public let offset: Int

    /// One line for a log, without the text itself.
    public var description: String { "\(code.name) at byte \(offset)" }

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
