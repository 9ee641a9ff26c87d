public import WardText

/// Why a key is refused.
///
/// Errors are equal if their codes are. The detail is for people and never contains key material.
public struct COSEError: CodedError {
    /// What is wrong; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// Not a COSE key: the CBOR is refused, or a parameter has the wrong type.
        public static let malformed = Self(name: "malformed")
        /// Bytes follow the key.
        public static let trailingBytes = Self(name: "trailing_bytes")
        /// A required parameter is absent.
        public static let missingParameter = Self(name: "missing_parameter")
        /// The key contains a private part.
        public static let privateParameter = Self(name: "private_parameter")
        /// The key's operations do not allow verification.
        public static let keyOperations = Self(name: "key_operations")
        /// An unknown algorithm.
        public static let unknownAlgorithm = Self(name: "unknown_algorithm")
        /// A known algorithm that Ward does not support.
        public static let unsupportedAlgorithm = Self(name: "unsupported_algorithm")
        /// An algorithm that is only for old attestation statements, not for credentials.
        public static let attestationOnlyAlgorithm = Self(name: "attestation_only_algorithm")
        /// The key type does not match the algorithm.
        public static let keyTypeMismatch = Self(name: "key_type_mismatch")
        /// The curve does not match the algorithm.
        public static let curveMismatch = Self(name: "curve_mismatch")
        /// The point is compressed: one coordinate and a sign.
        public static let compressedPoint = Self(name: "compressed_point")
        /// A coordinate or a key has the wrong length for its algorithm.
        public static let wrongLength = Self(name: "wrong_length")
        /// The coordinates are not a point of the curve.
        public static let pointNotOnCurve = Self(name: "point_not_on_curve")
        /// A weak key, for which anybody can create signatures.
        public static let weakKey = Self(name: "weak_key")
        /// An RSA modulus of fewer than 2048 bits.
        public static let keyTooSmall = Self(name: "key_too_small")
        /// An RSA modulus of more than 8192 bits, or an encoding that is too long for any key.
        public static let keyTooLarge = Self(name: "key_too_large")
        /// An RSA modulus that is even or starts with zeros.
        public static let invalidModulus = Self(name: "invalid_modulus")
        /// An RSA exponent that is even, below 3, above 32 bits, or starts with zeros.
        public static let invalidExponent = Self(name: "invalid_exponent")
        /// Bytes that are not a private key of the algorithm.
        public static let invalidPrivateKey = Self(name: "invalid_private_key")
        /// The cryptographic library could not sign.
        public static let signingFailed = Self(name: "signing_failed")
    }

    /// What is wrong.
    public let code: Code
    /// What was expected, and what came.
    public let detail: String

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
