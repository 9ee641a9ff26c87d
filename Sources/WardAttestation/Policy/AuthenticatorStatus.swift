public import WardWebAuthn

/// How far FIDO certified a model of authenticator.
///
/// FIDO Metadata Service 3, section 3.1.4, `AuthenticatorStatus`.
public enum CertificationLevel: Int, Hashable, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Not at all, or not any more.
    case notCertified = 0
    /// Its protocol works, as certified before there were levels.
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

    /// A word for people.
    public var description: String {
        ["not certified", "certified", "L1", "L1+", "L2", "L2+", "L3", "L3+"][rawValue]
    }
}

/// Something that is known against a model of authenticator, by the word the metadata service has for it.
///
/// FIDO Metadata Service 3, section 3.1.4.
public struct AuthenticatorConcern: OpenString {
    /// The service's word.
    public let rawValue: String
    /// Creates a value from any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It is not to be trusted any more.
    public static let revoked: Self = "REVOKED"
    /// People can be passed by.
    public static let userVerificationBypass: Self = "USER_VERIFICATION_BYPASS"
    /// Its attestation key is known to others.
    public static let attestationKeyCompromise: Self = "ATTESTATION_KEY_COMPROMISE"
    /// Credentials can be taken out from afar.
    public static let userKeyRemoteCompromise: Self = "USER_KEY_REMOTE_COMPROMISE"
    /// Credentials can be taken out by who holds it.
    public static let userKeyPhysicalCompromise: Self = "USER_KEY_PHYSICAL_COMPROMISE"
    /// There is an update that mends something; not a reason to refuse in itself.
    public static let updateAvailable: Self = "UPDATE_AVAILABLE"
}

/// What is known of a model of authenticator besides its anchors.
public struct AuthenticatorStatus: Hashable, Sendable {
    /// How far it is certified now.
    public var certification: CertificationLevel
    /// What is known against it now.
    public var concerns: Set<AuthenticatorConcern>

    /// Takes both.
    public init(certification: CertificationLevel = .notCertified, concerns: Set<AuthenticatorConcern> = []) {
        self.certification = certification
        self.concerns = concerns
    }
}
