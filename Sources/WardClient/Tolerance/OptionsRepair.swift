/// One place where options were not what the standard says, and what was made of it.
public struct OptionsRepair: Hashable, Sendable, CustomStringConvertible {
    /// What was odd; minor releases may add kinds.
    public struct Quirk: Hashable, Sendable {
        private enum Base: String {
            case wrapped, nullMember, emptyArrayForObject, textForNumber, fractionForNumber, textForBoolean
            case numberForBoolean, numberForText, bytesAsObject, bytesAsArray, bytesAsBuffer, base64Alphabet
            case escapedPadding, padding, whiteSpace, missingName, unknownAlgorithm, malformedHint
        }
        private let base: Base

        /// The options lay inside a `publicKey` member.
        public static var wrapped: Self { .init(base: .wrapped) }
        /// A member was `null`, which counts as absent.
        public static var nullMember: Self { .init(base: .nullMember) }
        /// `[]` stood for an object without members, as PHP writes it.
        public static var emptyArrayForObject: Self { .init(base: .emptyArrayForObject) }
        /// A number was written as text.
        public static var textForNumber: Self { .init(base: .textForNumber) }
        /// A whole number was written with a fraction.
        public static var fractionForNumber: Self { .init(base: .fractionForNumber) }
        /// A truth value was written as text.
        public static var textForBoolean: Self { .init(base: .textForBoolean) }
        /// A truth value was written as 0 or 1.
        public static var numberForBoolean: Self { .init(base: .numberForBoolean) }
        /// A name was written as a number.
        public static var numberForText: Self { .init(base: .numberForText) }
        /// Bytes came as `{"0":-58,"1":…}`, as a typed array or a Java byte array is written.
        public static var bytesAsObject: Self { .init(base: .bytesAsObject) }
        /// Bytes came as an array of numbers from -128 to 255.
        public static var bytesAsArray: Self { .init(base: .bytesAsArray) }
        /// Bytes came as `{"type":"Buffer","data":[…]}`, as Node.js writes them.
        public static var bytesAsBuffer: Self { .init(base: .bytesAsBuffer) }
        /// Bytes came in plain base64, with `+` and `/`.
        public static var base64Alphabet: Self { .init(base: .base64Alphabet) }
        /// Padding was escaped twice, so that `\u003d` is left in the text.
        public static var escapedPadding: Self { .init(base: .escapedPadding) }
        /// Bytes came with padding.
        public static var padding: Self { .init(base: .padding) }
        /// Line breaks or blanks stood between the digits.
        public static var whiteSpace: Self { .init(base: .whiteSpace) }
        /// A name that the standard requires is absent.
        public static var missingName: Self { .init(base: .missingName) }
        /// A kind of key that is none was passed over.
        public static var unknownAlgorithm: Self { .init(base: .unknownAlgorithm) }
        /// A hint that cannot be read was passed over.
        public static var malformedHint: Self { .init(base: .malformedHint) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
    }

    /// Where, for example `pubKeyCredParams[0].alg`.
    public let path: String
    /// What was odd.
    public let quirk: Quirk
    /// One line for a log; it holds none of the values.
    public var description: String { "\(path): \(quirk.name)" }
}
