/// One place where options were not what the standard says, and what was made of it.
public struct OptionsRepair: Hashable, Sendable, CustomStringConvertible {
    /// What was odd; minor releases may add kinds.
    public struct Quirk: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// The options lay inside a `publicKey` member.
        public static let wrapped = Self(name: "wrapped")
        /// A member was `null`, which counts as absent.
        public static let nullMember = Self(name: "null_member")
        /// `[]` stood for an object without members, as PHP writes it.
        public static let emptyArrayForObject = Self(name: "empty_array_for_object")
        /// A number was written as text.
        public static let textForNumber = Self(name: "text_for_number")
        /// A whole number was written with a fraction.
        public static let fractionForNumber = Self(name: "fraction_for_number")
        /// A truth value was written as text.
        public static let textForBoolean = Self(name: "text_for_boolean")
        /// A truth value was written as 0 or 1.
        public static let numberForBoolean = Self(name: "number_for_boolean")
        /// A name was written as a number.
        public static let numberForText = Self(name: "number_for_text")
        /// Bytes came as `{"0":-58,"1":…}`, as a typed array or a Java byte array is written.
        public static let bytesAsObject = Self(name: "bytes_as_object")
        /// Bytes came as an array of numbers from -128 to 255.
        public static let bytesAsArray = Self(name: "bytes_as_array")
        /// Bytes came as `{"type":"Buffer","data":[…]}`, as Node.js writes them.
        public static let bytesAsBuffer = Self(name: "bytes_as_buffer")
        /// Bytes came in plain base64, with `+` and `/`.
        public static let base64Alphabet = Self(name: "base64_alphabet")
        /// Padding was escaped twice, so that `\u003d` is left in the text.
        public static let escapedPadding = Self(name: "escaped_padding")
        /// Bytes came with padding.
        public static let padding = Self(name: "padding")
        /// Line breaks or blanks stood between the digits.
        public static let whiteSpace = Self(name: "white_space")
        /// A name that the standard requires is absent.
        public static let missingName = Self(name: "missing_name")
        /// A kind of key that is none was passed over.
        public static let unknownAlgorithm = Self(name: "unknown_algorithm")
        /// A hint that cannot be read was passed over.
        public static let malformedHint = Self(name: "malformed_hint")
    }

    /// Where, for example `pubKeyCredParams[0].alg`.
    public let path: String
    /// What was odd.
    public let quirk: Quirk
    /// One line for a log; it holds none of the values.
    public var description: String { "\(path): \(quirk.name)" }
}
