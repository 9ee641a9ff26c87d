/// What a certificate does otherwise than the standards ask, and is accepted all the same.
///
/// Hardware is signed for in factories and stays in use for ten years: a strict parser locks its owners out. None of these
/// deviations changes what a certificate says, and all of them lie under a signature that has to hold, but for
/// ``unusedSignatureBits``, which no signature covers. Everything not named here is refused.
public struct CertificateDeviations: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// One bit for each.
    public let rawValue: UInt32
    /// Takes bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A length in more bytes than it needs (X.690, section 10.1).
    public static let longLengths = Self(rawValue: 1 << 0)
    /// An integer with more leading bytes than it needs (X.690, section 8.3.2).
    public static let longIntegers = Self(rawValue: 1 << 1)
    /// A true that is not `0xff` (X.690, section 11.1).
    public static let looseBooleans = Self(rawValue: 1 << 2)
    /// A value that is written out although it is the default: `critical FALSE`, `cA FALSE`, version 1 (X.690, section 11.5).
    public static let writtenDefaults = Self(rawValue: 1 << 3)
    /// A NULL where ECDSA or EdDSA has no parameters (RFC 5758, section 3.2; RFC 8410, section 3).
    public static let nullParameters = Self(rawValue: 1 << 4)
    /// No NULL where RSA has one (RFC 4055, section 5).
    public static let missingParameters = Self(rawValue: 1 << 5)
    /// A serial number that is zero, negative, or longer than 20 bytes (RFC 5280, section 4.1.2.2).
    public static let unusualSerialNumber = Self(rawValue: 1 << 6)
    /// An RSA modulus without the zero that makes it positive (RFC 8017, appendix A.1.1); it is read as positive.
    public static let negativeModulus = Self(rawValue: 1 << 7)
    /// GeneralizedTime for a year before 2050, or UTCTime without seconds (RFC 5280, section 4.1.2.5).
    public static let unusualTime = Self(rawValue: 1 << 8)
    /// A signature that is said not to fill its last byte, as batches of early security keys have it; the byte is taken whole.
    public static let unusedSignatureBits = Self(rawValue: 1 << 9)

    private static let names: [(Self, String)] = [
        (.longLengths, "longLengths"), (.longIntegers, "longIntegers"), (.looseBooleans, "looseBooleans"),
        (.writtenDefaults, "writtenDefaults"), (.nullParameters, "nullParameters"),
        (.missingParameters, "missingParameters"), (.unusualSerialNumber, "unusualSerialNumber"),
        (.negativeModulus, "negativeModulus"), (.unusualTime, "unusualTime"),
        (.unusedSignatureBits, "unusedSignatureBits"),
    ]

    /// The names, in the order above.
    public var names: [String] { Self.names.compactMap { contains($0.0) ? $0.1 : nil } }
    /// The names, with commas.
    public var description: String { names.joined(separator: ", ") }
}
