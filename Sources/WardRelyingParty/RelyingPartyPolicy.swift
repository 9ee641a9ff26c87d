public import WardCOSE
public import WardWebAuthn

/// What a relying party decides once, with safe defaults.
public struct RelyingPartyPolicy: Sendable {
    /// What to do about something that may mean trouble and may mean a new phone.
    public enum Reaction: Hashable, Sendable {
        /// Accept, and report a ``RiskSignal``.
        case report
        /// Refuse the ceremony.
        case refuse
    }

    /// Whether the service may be used inside frames of other origins.
    public enum Framing: Hashable, Sendable {
        /// Never.
        case refused
        /// Inside these top-level origins; clients of before Level 3 do not say which one, and are refused.
        case allowed(in: Set<WebOrigin>)
        /// Inside these, and inside any where the client does not say which.
        case allowedWithoutTopOrigin(in: Set<WebOrigin>)
    }

    /// The algorithms asked for, best first: ES256, EdDSA and RS256 reach every authenticator in use.
    public var algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA, .rs256]
    /// Whether the person must be verified, where a request does not say otherwise.
    public var userVerification: UserVerificationRequirement = .required
    /// How long a ceremony may take, in seconds.
    ///
    /// WebAuthn Level 3, [§15.1](https://www.w3.org/TR/webauthn-3/#sctn-timeout-recommended-range) recommends 300 to
    /// 600.
    public var ceremonyLifetime: Int64 = 300
    /// Frames of other origins.
    public var framing: Framing = .refused
    /// A signature counter that does not grow.
    public var signCountRegress: Reaction = .report
    /// Backup eligibility that differs from the record's.
    public var backupEligibilityChange: Reaction = .report
    /// Whether credentials must be device-bound (`refuse` refuses those that may be backed up).
    public var backupEligibleCredentials: BackupEligibility = .any
    /// What is asked of authenticators about themselves.
    public var attestation: AttestationPolicy = .notRequired
    /// Whether attestation object and client data are kept with the record, so that trust can be judged again later.
    public var keepsAttestation = false

    /// Which credentials are taken by their backup eligibility.
    ///
    /// WebAuthn Level 3, [§6.1.3](https://www.w3.org/TR/webauthn-3/#sctn-credential-backup).
    public enum BackupEligibility: Hashable, Sendable {
        /// Both kinds.
        case any
        /// Only credentials that never leave their authenticator.
        case deviceBoundOnly
        /// Only credentials that may be synced.
        case backupEligibleOnly
    }

    /// The defaults.
    public init() {}
}
