/// Why bytes are not the CBOR that was asked for, and where.
///
/// Errors are equal when their codes are; the offset is for people.
public struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case truncated, trailingBytes, notShortest, indefiniteLength, reservedValue, tag, floatNotAllowed
            case simpleValue, undefined, invalidUTF8, duplicateKey, unsortedKeys, keyType, unexpectedType
            case tooDeep, tooManyItems, tooLong, integerOutOfRange
        }

        private let base: Base

        /// The input ends inside an item, or a length says more than is left.
        public static var truncated: Self { .init(base: .truncated) }
        /// Something follows the item that should have been the last.
        public static var trailingBytes: Self { .init(base: .trailingBytes) }
        /// An integer, a length or a float takes more bytes than it needs.
        public static var notShortest: Self { .init(base: .notShortest) }
        /// A string, array or map without a length, or the byte that ends one.
        public static var indefiniteLength: Self { .init(base: .indefiniteLength) }
        /// An initial byte that no standard gives a meaning (additional information 28 to 30).
        public static var reservedValue: Self { .init(base: .reservedValue) }
        /// A tag; CTAP2 uses none.
        public static var tag: Self { .init(base: .tag) }
        /// A float where the rules allow none.
        public static var floatNotAllowed: Self { .init(base: .floatNotAllowed) }
        /// A simple value other than false, true and null.
        public static var simpleValue: Self { .init(base: .simpleValue) }
        /// The simple value `undefined`.
        public static var undefined: Self { .init(base: .undefined) }
        /// A text string whose bytes are not UTF-8.
        public static var invalidUTF8: Self { .init(base: .invalidUTF8) }
        /// The same key twice in one map.
        public static var duplicateKey: Self { .init(base: .duplicateKey) }
        /// A key that belongs before the one it follows.
        public static var unsortedKeys: Self { .init(base: .unsortedKeys) }
        /// A map key that is neither an integer nor text.
        public static var keyType: Self { .init(base: .keyType) }
        /// A well-formed item of another type than the caller reads here.
        public static var unexpectedType: Self { .init(base: .unexpectedType) }
        /// More arrays and maps inside each other than the rules allow.
        public static var tooDeep: Self { .init(base: .tooDeep) }
        /// More items in all than the rules allow.
        public static var tooManyItems: Self { .init(base: .tooManyItems) }
        /// A string longer than the rules allow.
        public static var tooLong: Self { .init(base: .tooLong) }
        /// An integer that does not fit the type the caller reads.
        public static var integerOutOfRange: Self { .init(base: .integerOutOfRange) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// Where the offending item begins, counted from the start of the input.
    public let offset: Int

    /// Says what is wrong and where.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One line for a log.
    public var description: String { "\(code.name) at byte \(offset)" }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
