/// Why a key is not accepted.
///
/// Errors are equal when their codes are; the detail is for people and never holds key material.
public struct COSEError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case malformed, trailingBytes, missingParameter, privateParameter, keyOperations
            case unknownAlgorithm, unsupportedAlgorithm, attestationOnlyAlgorithm
            case keyTypeMismatch, curveMismatch, compressedPoint, wrongLength, pointNotOnCurve, weakKey
            case keyTooSmall, keyTooLarge, invalidModulus, invalidExponent, invalidPrivateKey, signingFailed
        }

        private let base: Base

        /// Not a COSE key at all: the CBOR is refused, or a parameter has another type than it must have.
        public static var malformed: Self { .init(base: .malformed) }
        /// Something follows the key.
        public static var trailingBytes: Self { .init(base: .trailingBytes) }
        /// A parameter that the key cannot do without is absent.
        public static var missingParameter: Self { .init(base: .missingParameter) }
        /// The key carries a part that only its owner may have.
        public static var privateParameter: Self { .init(base: .privateParameter) }
        /// The key says that it must not be used to verify.
        public static var keyOperations: Self { .init(base: .keyOperations) }
        /// An algorithm that Ward has no name for.
        public static var unknownAlgorithm: Self { .init(base: .unknownAlgorithm) }
        /// An algorithm that Ward knows by name and does not do.
        public static var unsupportedAlgorithm: Self { .init(base: .unsupportedAlgorithm) }
        /// An algorithm that old attestation statements may use, and no credential.
        public static var attestationOnlyAlgorithm: Self { .init(base: .attestationOnlyAlgorithm) }
        /// The key's type is not the one its algorithm works with.
        public static var keyTypeMismatch: Self { .init(base: .keyTypeMismatch) }
        /// The key's curve is not the one its algorithm is bound to.
        public static var curveMismatch: Self { .init(base: .curveMismatch) }
        /// The point is given by one coordinate and a sign.
        public static var compressedPoint: Self { .init(base: .compressedPoint) }
        /// A coordinate or a key that is not exactly as long as its algorithm's are.
        public static var wrongLength: Self { .init(base: .wrongLength) }
        /// The coordinates are no point of the curve.
        public static var pointNotOnCurve: Self { .init(base: .pointNotOnCurve) }
        /// A key under which anybody can sign.
        public static var weakKey: Self { .init(base: .weakKey) }
        /// An RSA modulus of fewer than 2048 bits.
        public static var keyTooSmall: Self { .init(base: .keyTooSmall) }
        /// An RSA modulus of more than 8192 bits, or an encoding that is longer than any key's.
        public static var keyTooLarge: Self { .init(base: .keyTooLarge) }
        /// An RSA modulus that is even or starts with zeros.
        public static var invalidModulus: Self { .init(base: .invalidModulus) }
        /// An RSA exponent that is even, below 3, above 32 bits, or starts with zeros.
        public static var invalidExponent: Self { .init(base: .invalidExponent) }
        /// Bytes that are no private key of the algorithm.
        public static var invalidPrivateKey: Self { .init(base: .invalidPrivateKey) }
        /// The cryptographic library could not sign.
        public static var signingFailed: Self { .init(base: .signingFailed) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// What was expected and what came.
    public let detail: String

    /// One line for a log.
    public var description: String { detail.isEmpty ? code.name : "\(code.name): \(detail)" }

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
