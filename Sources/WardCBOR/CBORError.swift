/// Why bytes are not the CBOR that was asked for, and where.
///
/// Errors are equal when their codes are; the offset is for people.
public struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// The input ends inside an item, or a length says more than is left.
        public static let truncated = Self(name: "truncated")
        /// Something follows the item that should have been the last.
        public static let trailingBytes = Self(name: "trailing_bytes")
        /// An integer, a length or a float takes more bytes than it needs.
        public static let notShortest = Self(name: "not_shortest")
        /// A string, array or map without a length, or the byte that ends one.
        public static let indefiniteLength = Self(name: "indefinite_length")
        /// An initial byte that no standard gives a meaning (additional information 28 to 30).
        public static let reservedValue = Self(name: "reserved_value")
        /// A tag; CTAP2 uses none.
        public static let tag = Self(name: "tag")
        /// A float where the rules allow none.
        public static let floatNotAllowed = Self(name: "float_not_allowed")
        /// A simple value other than false, true and null.
        public static let simpleValue = Self(name: "simple_value")
        /// The simple value `undefined`.
        public static let undefined = Self(name: "undefined")
        /// A text string whose bytes are not UTF-8.
        public static let invalidUTF8 = Self(name: "invalid_utf8")
        /// The same key twice in one map.
        public static let duplicateKey = Self(name: "duplicate_key")
        /// A key that belongs before the one it follows.
        public static let unsortedKeys = Self(name: "unsorted_keys")
        /// A map key that is neither an integer nor text.
        public static let keyType = Self(name: "key_type")
        /// A well-formed item of another type than the caller reads here.
        public static let unexpectedType = Self(name: "unexpected_type")
        /// More arrays and maps inside each other than the rules allow.
        public static let tooDeep = Self(name: "too_deep")
        /// More items in all than the rules allow.
        public static let tooManyItems = Self(name: "too_many_items")
        /// A string longer than the rules allow.
        public static let tooLong = Self(name: "too_long")
        /// An integer that does not fit the type the caller reads.
        public static let integerOutOfRange = Self(name: "integer_out_of_range")
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

    /// Errors are equal if their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
