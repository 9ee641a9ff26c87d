/// Why a certificate is not accepted.
///
/// Errors are equal when their codes are.
public struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case malformed = "certificate_malformed"
            case tooLarge = "certificate_too_large"
            case duplicateExtension = "certificate_duplicate_extension"
            case unsupportedKey = "certificate_unsupported_key"
            case weakKey = "certificate_weak_key"
            case noCertificate = "certificate_missing"
        }
        private let base: Base

        /// Not a certificate, or one that is broken in a way that changes what it says.
        public static var malformed: Self { .init(base: .malformed) }
        /// More bytes than any attestation certificate has.
        public static var tooLarge: Self { .init(base: .tooLarge) }
        /// Two extensions of one kind: nobody can say which of them counts.
        public static var duplicateExtension: Self { .init(base: .duplicateExtension) }
        /// A key of a kind that Ward does not verify with.
        public static var unsupportedKey: Self { .init(base: .unsupportedKey) }
        /// A key that is too small to vouch for anything, or not sound.
        public static var weakKey: Self { .init(base: .weakKey) }
        /// There is no certificate in what was given.
        public static var noCertificate: Self { .init(base: .noCertificate) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// What was expected and found.
    public let detail: String
    /// One line for a log.
    public var description: String { "\(code.name): \(detail)" }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    static func malformed(_ detail: String, at offset: Int) -> Self { Self(.malformed, "\(detail) at byte \(offset)") }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
