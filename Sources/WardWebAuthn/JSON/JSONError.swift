/// Why a text is not the JSON that was expected.
///
/// Errors are equal when their codes are.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule the text breaks; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case truncated, unexpectedByte, invalidUTF8, invalidEscape, invalidNumber, duplicateMember
            case tooDeep, tooManyItems, trailingBytes, wrongType, notBase64URL
        }
        private let base: Base

        /// The text ends inside a value.
        public static var truncated: Self { .init(base: .truncated) }
        /// A byte stands where the grammar of RFC 8259 has no room for it.
        public static var unexpectedByte: Self { .init(base: .unexpectedByte) }
        /// A string holds bytes that are not UTF-8.
        public static var invalidUTF8: Self { .init(base: .invalidUTF8) }
        /// A backslash is followed by something that is no escape, or a surrogate stands alone.
        public static var invalidEscape: Self { .init(base: .invalidEscape) }
        /// A number that the grammar of RFC 8259 does not produce, or that no `Double` holds.
        public static var invalidNumber: Self { .init(base: .invalidNumber) }
        /// An object names a member twice.
        public static var duplicateMember: Self { .init(base: .duplicateMember) }
        /// Arrays and objects are nested deeper than the bound.
        public static var tooDeep: Self { .init(base: .tooDeep) }
        /// More values than the bound.
        public static var tooManyItems: Self { .init(base: .tooManyItems) }
        /// Something follows the value.
        public static var trailingBytes: Self { .init(base: .trailingBytes) }
        /// A value of another type stands where this one belongs.
        public static var wrongType: Self { .init(base: .wrongType) }
        /// A string is not base64url without padding in its one canonical form.
        public static var notBase64URL: Self { .init(base: .notBase64URL) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
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
