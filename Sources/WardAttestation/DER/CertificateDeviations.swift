/// Accepted deviations of a certificate from the standards.
///
/// Factories sign certificates into hardware that stays in use for ten years. A strict parser would lock out the owners of such
/// hardware. None of these deviations changes the meaning of a certificate. A signature that must verify covers all of them,
/// except ``unusedSignatureBits``. All other deviations are refused.
public struct CertificateDeviations: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// One bit for each deviation.
    public let rawValue: UInt32
    /// Creates a set from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A length in more bytes than it needs (X.690, section 10.1).
    public static let longLengths = Self(rawValue: 1 << 0)
    /// An integer with more leading bytes than it needs (X.690, section 8.3.2).
    public static let longIntegers = Self(rawValue: 1 << 1)
    /// A value true that is not encoded as `0xff` (X.690, section 11.1).
    public static let looseBooleans = Self(rawValue: 1 << 2)
    /// A default value that is written out: `critical FALSE`, `cA FALSE`, version 1 (X.690, section 11.5).
    public static let writtenDefaults = Self(rawValue: 1 << 3)
    /// A NULL in the parameters of ECDSA or EdDSA, which have none (RFC 5758, section 3.2; RFC 8410, section 3).
    public static let nullParameters = Self(rawValue: 1 << 4)
    /// A missing NULL in the parameters of RSA, which require it (RFC 4055, section 5).
    public static let missingParameters = Self(rawValue: 1 << 5)
    /// A serial number that is zero, negative, or longer than 20 bytes (RFC 5280, section 4.1.2.2).
    public static let unusualSerialNumber = Self(rawValue: 1 << 6)
    /// An RSA modulus without the leading zero that makes it positive (RFC 8017, appendix A.1.1); it is read as
    /// positive.
    public static let negativeModulus = Self(rawValue: 1 << 7)
    /// GeneralizedTime for a year before 2050, or UTCTime without seconds (RFC 5280, section 4.1.2.5).
    public static let unusualTime = Self(rawValue: 1 << 8)
    /// The bit string of the signature says that some bits of its last byte are unused.
    ///
    /// Certificates of some early security keys have this fault. The reader uses all bits of the byte.
    public static let unusedSignatureBits = Self(rawValue: 1 << 9)

    private static let names: [(Self, String)] = [
        (.longLengths, "longLengths"), (.longIntegers, "longIntegers"), (.looseBooleans, "looseBooleans"),
        (.writtenDefaults, "writtenDefaults"), (.nullParameters, "nullParameters"),
        (.missingParameters, "missingParameters"), (.unusualSerialNumber, "unusualSerialNumber"),
        (.negativeModulus, "negativeModulus"), (.unusualTime, "unusualTime"),
        (.unusedSignatureBits, "unusedSignatureBits"),
    ]

    /// The names, in the order of the declarations.
    public var names: [String] { Self.names.compactMap { contains($0.0) ? $0.1 : nil } }
    /// The names, separated by commas.
    public var description: String { names.joined(separator: ", ") }
}
