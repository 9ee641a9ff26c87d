/// A finding that did not refuse the ceremony.
///
/// Ward reports signals and does not lock accounts: people change providers and restore devices, and the service
/// decides how to react.
public enum RiskSignal: Hashable, Sendable {
    /// The signature counter did not grow: a copy of the credential may exist. WebAuthn Level 3,
    /// [§6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter).
    case signCountRegressed(stored: UInt32, received: UInt32)
    /// Backup eligibility differs from the record's, which the standard says never happens: the provider changed or was
    /// updated, or the credential was copied.
    case backupEligibilityChanged(from: Bool, to: Bool)
    /// A device-bound credential reports user verification that it did not have at registration: a person who found the
    /// authenticator may have set a PIN.
    case userVerificationNotInitialized
    /// The client says that the new credential is not discoverable (`credProps.rk` is `false`), so it cannot sign in without
    /// a user name.
    ///
    /// WebAuthn Level 3, [§10.1.3](https://www.w3.org/TR/webauthn-3/#sctn-authenticator-credential-properties-extension).
    /// Nothing signs this output.
    case notDiscoverable

    /// A stable name for logs and JSON.
    public var name: String {
        switch self {
        case .signCountRegressed: "sign_count_regressed"
        case .backupEligibilityChanged: "backup_eligibility_changed"
        case .userVerificationNotInitialized: "user_verification_not_initialized"
        case .notDiscoverable: "not_discoverable"
        }
    }
}
