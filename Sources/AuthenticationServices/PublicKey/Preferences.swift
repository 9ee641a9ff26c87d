/// Whether the person shall be verified.
public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    /// WebAuthn's word.
    public var rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any word.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Wanted, but not at the price of failing.
    public static let preferred = Self("preferred")
    /// The request fails without it.
    public static let required = Self("required")
    /// Not wanted.
    public static let discouraged = Self("discouraged")
}

/// Whether a credential on a security key shall be discoverable.
public struct ASAuthorizationPublicKeyCredentialResidentKeyPreference: RawRepresentable, Hashable, Sendable {
    /// WebAuthn's word.
    public var rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any word.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Better not.
    public static let discouraged = Self("discouraged")
    /// Where possible.
    public static let preferred = Self("preferred")
    /// Discoverable or none.
    public static let required = Self("required")
}

/// Which statement about the authenticator is wanted.
public struct ASAuthorizationPublicKeyCredentialAttestationKind: RawRepresentable, Hashable, Sendable {
    /// WebAuthn's word.
    public var rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any word.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// No statement.
    public static let none = Self("none")
    /// The authenticator's own.
    public static let direct = Self("direct")
    /// One that may be made anonymous.
    public static let indirect = Self("indirect")
    /// One that may identify the very device.
    public static let enterprise = Self("enterprise")
}

/// Where a credential lives.
public enum ASAuthorizationPublicKeyCredentialAttachment: Int, Sendable {
    /// With this machine's credential manager.
    case platform = 0
    /// On a security key or another device.
    case crossPlatform = 1
}

/// A signature algorithm, by its number in COSE.
public struct ASCOSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: Int
    /// Takes any number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Takes any number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
    /// ECDSA with P-256 and SHA-256: -7.
    public static var ES256: Self { Self(-7) }
}
