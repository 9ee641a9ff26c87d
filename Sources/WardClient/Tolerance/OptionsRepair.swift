/// A deviation from the standard in a page's options that was repaired.
public struct OptionsRepair: Hashable, Sendable, CustomStringConvertible {
    /// The kind of deviation.
    ///
    /// Minor releases may add kinds.
    public struct Quirk: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// The options were inside a `publicKey` member.
        public static let wrapped = Self(name: "wrapped")
        /// A member was `null`, which counts as absent.
        public static let nullMember = Self(name: "null_member")
        /// An empty object was written as `[]`, as PHP writes it.
        public static let emptyArrayForObject = Self(name: "empty_array_for_object")
        /// A number was written as text.
        public static let textForNumber = Self(name: "text_for_number")
        /// A whole number was written with a fraction.
        public static let fractionForNumber = Self(name: "fraction_for_number")
        /// A boolean was written as text.
        public static let textForBoolean = Self(name: "text_for_boolean")
        /// A boolean was written as 0 or 1.
        public static let numberForBoolean = Self(name: "number_for_boolean")
        /// A text was written as a number.
        public static let numberForText = Self(name: "number_for_text")
        /// Bytes were written as `{"0":-58,"1":…}`, like a typed array or a Java byte array.
        public static let bytesAsObject = Self(name: "bytes_as_object")
        /// Bytes were written as an array of numbers from -128 to 255.
        public static let bytesAsArray = Self(name: "bytes_as_array")
        /// Bytes were written as `{"type":"Buffer","data":[…]}`, as Node.js does.
        public static let bytesAsBuffer = Self(name: "bytes_as_buffer")
        /// Bytes were written in plain base64, with `+` and `/`.
        public static let base64Alphabet = Self(name: "base64_alphabet")
        /// Padding was escaped twice, so the text contains `\u003d`.
        public static let escapedPadding = Self(name: "escaped_padding")
        /// Bytes were written with padding.
        public static let padding = Self(name: "padding")
        /// Base64 contained line breaks or spaces.
        public static let whiteSpace = Self(name: "white_space")
        /// A required name is missing.
        public static let missingName = Self(name: "missing_name")
        /// An unknown key type was ignored.
        public static let unknownAlgorithm = Self(name: "unknown_algorithm")
        /// A malformed hint was ignored.
        public static let malformedHint = Self(name: "malformed_hint")
    }

    /// The path of the member, for example `pubKeyCredParams[0].alg`.
    public let path: String
    /// The kind of deviation.
    public let quirk: Quirk
    /// One line for a log, without values.
    public var description: String { "\(path): \(quirk.name)" }
}
