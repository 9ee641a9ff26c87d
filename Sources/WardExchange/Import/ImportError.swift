public import WardText

/// The reason why a file could not be read.
///
/// Errors are equal if their codes are. Code and detail never contain a secret of the file.
public struct ImportError: CodedError {
    /// The kind of problem.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        public let name: String

        /// No format recognizes the file.
        public static let unknownFormat = Self(name: "unknown_format")
        /// The file is not what its format says.
        ///
        /// The detail has the place.
        public static let malformed = Self(name: "malformed_file")
        /// The file is cut off.
        public static let truncated = Self(name: "truncated_file")
        /// The file needs a passphrase or a key file.
        public static let passphraseNeeded = Self(name: "passphrase_needed")
        /// The passphrase or the key file does not open the file.
        public static let wrongPassphrase = Self(name: "wrong_file_passphrase")
        /// The file uses a version or a cipher that Ward does not read.
        public static let unsupported = Self(name: "unsupported_file")
        /// The file exceeds a limit.
        ///
        /// The detail names the limit.
        public static let tooLarge = Self(name: "file_too_large")
    }

    /// The kind of problem.
    public let code: Code
    /// What is wrong and where, in one sentence.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
