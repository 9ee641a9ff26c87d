public import WardWebAuthn

/// The FIDO certification level of an authenticator model.
///
/// FIDO Metadata Service 3, section 3.1.4, `AuthenticatorStatus`.
public enum CertificationLevel: Int, Hashable, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// The model is not certified, or no longer certified.
    case notCertified = 0
    /// Certified before certification levels existed.
    case certified = 1
    /// Level 1.
    case level1 = 2
    /// Level 1+.
    case level1Plus = 3
    /// Level 2.
    case level2 = 4
    /// Level 2+.
    case level2Plus = 5
    /// Level 3.
    case level3 = 6
    /// Level 3+.
    case level3Plus = 7

    /// The lower level comes first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The level as text for people.
    public var description: String {
        ["not certified", "certified", "L1", "L1+", "L2", "L2+", "L3", "L3+"][rawValue]
    }
}

/// A known problem of an authenticator model, with the metadata service's name.
///
/// FIDO Metadata Service 3, section 3.1.4.
public struct AuthenticatorConcern: OpenString {
    /// The service's name.
    public let rawValue: String
    /// Creates a value from any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The model is no longer trusted.
    public static let revoked: Self = "REVOKED"
    /// User verification can be bypassed.
    public static let userVerificationBypass: Self = "USER_VERIFICATION_BYPASS"
    /// The attestation key is known to other parties.
    public static let attestationKeyCompromise: Self = "ATTESTATION_KEY_COMPROMISE"
    /// Credentials can be extracted remotely.
    public static let userKeyRemoteCompromise: Self = "USER_KEY_REMOTE_COMPROMISE"
    /// Credentials can be extracted with physical access.
    public static let userKeyPhysicalCompromise: Self = "USER_KEY_PHYSICAL_COMPROMISE"
    /// An update is available that fixes a problem.
    ///
    /// This alone is not a reason for refusal.
    public static let updateAvailable: Self = "UPDATE_AVAILABLE"
}

/// The status of an authenticator model.
public struct AuthenticatorStatus: Hashable, Sendable {
    /// The current certification level.
    public var certification: CertificationLevel
    /// The current known problems.
    public var concerns: Set<AuthenticatorConcern>

    /// Creates a status.
    public init(certification: CertificationLevel = .notCertified, concerns: Set<AuthenticatorConcern> = []) {
        self.certification = certification
        self.concerns = concerns
    }
}
