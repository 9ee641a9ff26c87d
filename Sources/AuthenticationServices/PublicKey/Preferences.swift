/// Whether user verification is wanted.
public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    /// The value in WebAuthn.
    public var rawValue: String
    /// Creates a preference from any value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a preference from any value.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Preferred: the request succeeds without it.
    public static let preferred = Self("preferred")
    /// Required: the request fails without it.
    public static let required = Self("required")
    /// Discouraged.
    public static let discouraged = Self("discouraged")
}

/// Whether a credential on a security key should be discoverable.
public struct ASAuthorizationPublicKeyCredentialResidentKeyPreference: RawRepresentable, Hashable, Sendable {
    /// The value in WebAuthn.
    public var rawValue: String
    /// Creates a preference from any value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a preference from any value.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Preferably not discoverable.
    public static let discouraged = Self("discouraged")
    /// Discoverable if possible.
    public static let preferred = Self("preferred")
    /// Discoverable; the request fails otherwise.
    public static let required = Self("required")
}

/// The requested attestation.
public struct ASAuthorizationPublicKeyCredentialAttestationKind: RawRepresentable, Hashable, Sendable {
    /// The value in WebAuthn.
    public var rawValue: String
    /// Creates a preference from any value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a preference from any value.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// No attestation.
    public static let none = Self("none")
    /// The authenticator's own attestation statement.
    public static let direct = Self("direct")
    /// An attestation statement that may be anonymised.
    public static let indirect = Self("indirect")
    /// An attestation statement that may identify the individual device.
    public static let enterprise = Self("enterprise")
}

/// Where a credential is stored.
public enum ASAuthorizationPublicKeyCredentialAttachment: Int, Sendable {
    /// In this machine's credential manager.
    case platform = 0
    /// On a security key or another device.
    case crossPlatform = 1
}

/// A signature algorithm, with its COSE number.
public struct ASCOSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: Int
    /// Creates an identifier from any number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Creates an identifier from any number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
    /// ECDSA with P-256 and SHA-256: -7.
    public static var ES256: Self { Self(-7) }
}
