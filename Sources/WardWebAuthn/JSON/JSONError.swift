/// Why a text is not the JSON that was expected.
///
/// Errors are equal when their codes are.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule the text breaks; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable word for logs.
        public let name: String

        /// The text ends inside a value.
        public static let truncated = Self(name: "truncated")
        /// A byte stands where the grammar of RFC 8259 has no room for it.
        public static let unexpectedByte = Self(name: "unexpected_byte")
        /// A string holds bytes that are not UTF-8.
        public static let invalidUTF8 = Self(name: "invalid_utf8")
        /// A backslash is followed by something that is no escape, or a surrogate stands alone.
        public static let invalidEscape = Self(name: "invalid_escape")
        /// A number that the grammar of RFC 8259 does not produce, or that no `Double` holds.
        public static let invalidNumber = Self(name: "invalid_number")
        /// An object names a member twice.
        public static let duplicateMember = Self(name: "duplicate_member")
        /// Arrays and objects are nested deeper than the bound.
        public static let tooDeep = Self(name: "too_deep")
        /// More values than the bound.
        public static let tooManyItems = Self(name: "too_many_items")
        /// Something follows the value.
        public static let trailingBytes = Self(name: "trailing_bytes")
        /// A value of another type stands where this one belongs.
        public static let wrongType = Self(name: "wrong_type")
        /// A string is not base64url without padding in its one canonical form.
        public static let notBase64URL = Self(name: "not_base64url")
    }

    /// Which rule the text breaks.
    public let code: Code
    /// Where, in bytes from the start.
    public let offset: Int

    /// One line for a log; it never holds the text itself.
    public var description: String { "\(code.name) at byte \(offset)" }

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
