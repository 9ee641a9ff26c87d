public import WardCOSE
public import WardWebAuthn

/// The fixed decisions of a relying party, with safe defaults.
public struct RelyingPartyPolicy: Sendable {
    /// The reaction to a finding that can be an attack but is often harmless, such as a new phone.
    public enum Reaction: Hashable, Sendable {
        /// Accept, and report a ``RiskSignal``.
        case report
        /// Refuse the ceremony.
        case refuse
    }

    /// Whether ceremonies of pages inside frames of other origins are accepted, as the client data says.
    ///
    /// It does not keep pages out of frames: for that the service sends a header field.
    public enum Framing: Hashable, Sendable {
        /// Never.
        case refused
        /// The service may be used inside these top-level origins.
        ///
        /// Clients from before Level 3 do not report the top-level origin. They are refused.
        case allowed(in: Set<WebOrigin>)
        /// The service may be used inside these top-level origins. It may also be used if the client does not report the
        /// top-level origin.
        case allowedWithoutTopOrigin(in: Set<WebOrigin>)
    }

    /// The requested algorithms, best first.
    ///
    /// ES256, EdDSA and RS256 together reach every authenticator in use.
    public var algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA, .rs256]
    /// Whether to verify the person, unless a request says otherwise.
    public var userVerification: UserVerification = .required
    /// The lifetime of a ceremony, in seconds.
    ///
    /// WebAuthn Level 3, [§15.1](https://www.w3.org/TR/webauthn-3/#sctn-timeout-recommended-range) recommends 300 to
    /// 600.
    public var ceremonyLifetime: Int64 = 300
    /// Whether ceremonies of pages inside frames of other origins are accepted.
    public var framing: Framing = .refused
    /// The reaction to a signature counter that does not grow.
    public var signCountRegress: Reaction = .report
    /// The reaction to a backup eligibility that differs from the record's.
    public var backupEligibilityChange: Reaction = .report
    /// Which credentials are allowed by their backup eligibility, at registration and at each sign-in.
    public var backupEligibleCredentials: BackupEligibility = .any
    /// The attestation policy.
    public var attestation: AttestationPolicy = .notRequired
    /// Whether to store attestation object and client data with the record, so that trust can be reassessed later.
    public var keepsAttestation = false

    /// The allowed credentials by backup eligibility.
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

    /// Creates the default policy.
    public init() {}
}
