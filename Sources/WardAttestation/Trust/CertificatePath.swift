public import WardText

/// A verified chain from an authenticator's certificate to an anchor.
///
/// Only verification creates it.
public struct CertificatePath: Hashable, Sendable {
    /// The certificates, the authenticator's first; the anchor is the last.
    public let certificates: [AttestationCertificate]
    /// The anchor, which can be the authenticator's own certificate.
    public let anchor: AttestationCertificate
}

/// The reason why a chain leads to no anchor.
///
/// Errors are equal if their codes are.
public struct CertificatePathError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// A certificate of the chain is malformed, or the chain is empty.
        public static let malformedCertificate = Self(name: "path_malformed_certificate")
        /// The chain has more certificates than any authenticator sends.
        public static let tooLong = Self(name: "path_too_long")
        /// The chain ends, and no anchor signed its last certificate.
        public static let noAnchor = Self(name: "path_no_anchor")
        /// The chain contains a root that is not listed.
        public static let carriesOwnRoot = Self(name: "path_carries_own_root")
        /// The next certificate is not the issuer.
        public static let issuerMismatch = Self(name: "path_issuer_mismatch")
        /// A signature is not valid.
        public static let signatureInvalid = Self(name: "path_signature_invalid")
        /// A signature algorithm is not supported, for example because it uses SHA-1.
        public static let signatureAlgorithmNotSupported = Self(name: "path_signature_algorithm_not_supported")
        /// A certificate is not yet valid.
        public static let notYetValid = Self(name: "path_not_yet_valid")
        /// A certificate has expired.
        public static let expired = Self(name: "path_expired")
        /// A certificate signs another without permission.
        public static let notAnAuthority = Self(name: "path_not_an_authority")
        /// A certificate's key is not for signing certificates.
        public static let keyUsage = Self(name: "path_key_usage")
        /// Below a certificate there are more authorities than it allows.
        public static let pathLengthExceeded = Self(name: "path_length_exceeded")
        /// A critical extension is unknown.
        public static let criticalExtension = Self(name: "path_critical_extension")
    }

    /// What is wrong.
    public let code: Code
    /// The index of the certificate.
    ///
    /// The authenticator's own has 0. It is `nil` if the error is about the whole chain.
    public let index: Int?
    /// The expected and the found value.
    public let detail: String
    /// A description on one line, for a log.
    public var description: String {
        index.map { "\(code.name) at certificate \($0): \(detail)" } ?? "\(code.name): \(detail)"
    }

    init(_ code: Code, at index: Int?, _ detail: String) {
        self.code = code
        self.index = index
        self.detail = detail
    }
}
