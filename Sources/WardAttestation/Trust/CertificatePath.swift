/// A chain that was followed from an authenticator's certificate to an anchor; only verification makes one.
public struct CertificatePath: Hashable, Sendable {
    /// The certificates, the authenticator's first; the anchor is the last.
    public let certificates: [AttestationCertificate]
    /// The anchor, which may be the authenticator's own certificate.
    public let anchor: AttestationCertificate
}

/// Why a chain leads to no anchor.
///
/// Errors are equal when their codes are.
public struct CertificatePathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case malformedCertificate = "path_malformed_certificate"
            case tooLong = "path_too_long"
            case noAnchor = "path_no_anchor"
            case carriesOwnRoot = "path_carries_own_root"
            case issuerMismatch = "path_issuer_mismatch"
            case signatureInvalid = "path_signature_invalid"
            case signatureAlgorithmNotSupported = "path_signature_algorithm_not_supported"
            case notYetValid = "path_not_yet_valid"
            case expired = "path_expired"
            case notAnAuthority = "path_not_an_authority"
            case keyUsage = "path_key_usage"
            case pathLengthExceeded = "path_length_exceeded"
            case criticalExtension = "path_critical_extension"
        }
        private let base: Base

        /// A certificate of the chain cannot be read, or there is none.
        public static var malformedCertificate: Self { .init(base: .malformedCertificate) }
        /// More certificates than any authenticator sends.
        public static var tooLong: Self { .init(base: .tooLong) }
        /// The chain ends, and nobody who is trusted signed its last certificate.
        public static var noAnchor: Self { .init(base: .noAnchor) }
        /// The chain brings a root of its own that is not listed.
        public static var carriesOwnRoot: Self { .init(base: .carriesOwnRoot) }
        /// A certificate is not by the one that follows it.
        public static var issuerMismatch: Self { .init(base: .issuerMismatch) }
        /// A signature does not hold.
        public static var signatureInvalid: Self { .init(base: .signatureInvalid) }
        /// A signature of a kind that is not believed, such as one with SHA-1.
        public static var signatureAlgorithmNotSupported: Self { .init(base: .signatureAlgorithmNotSupported) }
        /// A certificate's time has not come.
        public static var notYetValid: Self { .init(base: .notYetValid) }
        /// A certificate's time is over.
        public static var expired: Self { .init(base: .expired) }
        /// A certificate signs another without being allowed to.
        public static var notAnAuthority: Self { .init(base: .notAnAuthority) }
        /// A certificate's key is not for signing certificates.
        public static var keyUsage: Self { .init(base: .keyUsage) }
        /// More authorities stand below one than it allows.
        public static var pathLengthExceeded: Self { .init(base: .pathLengthExceeded) }
        /// A critical extension is not understood.
        public static var criticalExtension: Self { .init(base: .criticalExtension) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// Which certificate of the chain, from 0, the authenticator's own; `nil` where it is about the chain.
    public let index: Int?
    /// What was expected and found.
    public let detail: String
    /// One line for a log.
    public var description: String {
        index.map { "\(code.name) at certificate \($0): \(detail)" } ?? "\(code.name): \(detail)"
    }

    init(_ code: Code, at index: Int?, _ detail: String) {
        self.code = code
        self.index = index
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
