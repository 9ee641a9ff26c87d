public import WardText

/// Why bytes are not the expected CBOR, and at which position.
///
/// Errors are equal if their codes are; the offset is for people.
public struct CBORError: CodedError {
    /// What is wrong; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// The input ends inside an item, or a length exceeds the remaining bytes.
        public static let truncated = Self(name: "truncated")
        /// Bytes follow the last item.
        public static let trailingBytes = Self(name: "trailing_bytes")
        /// An integer, a length or a float is longer than needed.
        public static let notShortest = Self(name: "not_shortest")
        /// A string, array or map without a length in advance (indefinite length), or the byte that ends one; CTAP2 forbids both.
        public static let indefiniteLength = Self(name: "indefinite_length")
        /// An initial byte without a meaning in any standard (additional information 28 to 30).
        public static let reservedValue = Self(name: "reserved_value")
        /// A tag; CTAP2 does not use tags.
        public static let tag = Self(name: "tag")
        /// A float, which the rules do not allow.
        public static let floatNotAllowed = Self(name: "float_not_allowed")
        /// A simple value other than false, true and null.
        public static let simpleValue = Self(name: "simple_value")
        /// The simple value `undefined`.
        public static let undefined = Self(name: "undefined")
        /// A text string whose bytes are not UTF-8.
        public static let invalidUTF8 = Self(name: "invalid_utf8")
        /// A duplicate key in a map.
        public static let duplicateKey = Self(name: "duplicate_key")
        /// A key that must come before its predecessor.
        public static let unsortedKeys = Self(name: "unsorted_keys")
        /// A map key that is neither an integer nor text.
        public static let keyType = Self(name: "key_type")
        /// A well-formed item of another type than expected.
        public static let unexpectedType = Self(name: "unexpected_type")
        /// Arrays and maps are nested too deeply.
        public static let tooDeep = Self(name: "too_deep")
        /// Too many items in all.
        public static let tooManyItems = Self(name: "too_many_items")
        /// A string is too long.
        public static let tooLong = Self(name: "too_long")
        /// An integer does not fit the expected type.
        public static let integerOutOfRange = Self(name: "integer_out_of_range")
    }

    /// What is wrong.
    public let code: Code
    /// The position of the item from the start of the input, in bytes.
    public let offset: Int

    /// Creates an error.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One line for a log.
    public var description: String { "\(code.name) at byte \(offset)" }
}
