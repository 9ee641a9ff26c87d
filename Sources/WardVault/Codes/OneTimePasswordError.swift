public import WardText

/// Why a link, a QR code's text or a set of parts is not a secret for verification codes.
public struct OneTimePasswordError: CodedError {
    /// What is wrong; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// Neither a link of a known kind nor a secret in base32.
        public static let link = Self(name: "link")
        /// There is no secret, or it is not base32, or too long.
        public static let secret = Self(name: "secret")
        /// A number of digits that no code has.
        public static let digits = Self(name: "digits")
        /// A period that is not a number of seconds.
        public static let period = Self(name: "period")
        /// A hash function that nobody should use for this, or that does not exist.
        public static let algorithm = Self(name: "algorithm")
        /// Neither by the clock nor by counting.
        public static let kind = Self(name: "kind")
        /// A counter that is not a number from 0 up.
        public static let counter = Self(name: "counter")
        /// The data of a transfer between phones is not what it should be.
        public static let batch = Self(name: "batch")
    }

    /// What is wrong.
    public let code: Code
    /// What was expected, without the secret.
    public let detail: String
    /// One line for a person.
    public var description: String { detail }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
