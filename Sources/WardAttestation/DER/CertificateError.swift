public import WardText

/// Why a certificate is not accepted.
///
/// Errors are equal if their codes are.
public struct CertificateError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// Not a certificate, or malformed in a way that changes its meaning.
        public static let malformed = Self(name: "certificate_malformed")
        /// More bytes than any attestation certificate has.
        public static let tooLarge = Self(name: "certificate_too_large")
        /// A duplicate extension; it would be unclear which one counts.
        public static let duplicateExtension = Self(name: "certificate_duplicate_extension")
        /// A kind of key that Ward does not support.
        public static let unsupportedKey = Self(name: "certificate_unsupported_key")
        /// A key that is too small or not valid.
        public static let weakKey = Self(name: "certificate_weak_key")
        /// The input contains no certificate.
        public static let noCertificate = Self(name: "certificate_missing")
    }

    /// What is wrong.
    public let code: Code
    /// The expected and the found value.
    public let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    static func malformed(_ detail: String, at offset: Int) -> Self { Self(.malformed, "\(detail) at byte \(offset)") }
}
