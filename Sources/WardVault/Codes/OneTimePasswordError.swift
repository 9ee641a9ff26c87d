public import WardText

/// The reason why a link, a QR code's text or a set of values is not a secret for verification codes.
public struct OneTimePasswordError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// The text is neither a link of a known kind nor a secret in base32.
        public static let link = Self(name: "link")
        /// The secret is missing, is not base32, or is too long.
        public static let secret = Self(name: "secret")
        /// The number of digits is one that no code has.
        public static let digits = Self(name: "digits")
        /// The period is not a number of seconds.
        public static let period = Self(name: "period")
        /// The hash function is unknown, or too weak for codes.
        public static let algorithm = Self(name: "algorithm")
        /// The kind of code is neither time-based nor counter-based.
        public static let kind = Self(name: "kind")
        /// The counter is not a number, or is negative.
        public static let counter = Self(name: "counter")
        /// The data of a transfer between phones is malformed.
        public static let batch = Self(name: "batch")
    }

    /// What is wrong.
    public let code: Code
    /// The expected value, without the secret.
    public let detail: String
    /// The error on one line, for a person.
    public var description: String { detail }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
