/// Something a service may want to weigh although the ceremony was accepted.
///
/// Signals instead of lock-outs: people change providers and restore devices, and a service decides what that is worth.
public enum RiskSignal: Hashable, Sendable {
    /// The signature counter did not grow: a copy of the credential may exist. WebAuthn Level 3,
    /// [§6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter).
    case signCountRegressed(stored: UInt32, received: UInt32)
    /// Backup eligibility differs from the record's, which the standard says never happens: the provider was changed or
    /// updated, or the credential was copied.
    case backupEligibilityChanged(from: Bool, to: Bool)
    /// The authenticator verified a person by a means that was not there at registration, on a device-bound credential: a
    /// finder may have set a PIN of their own.
    case userVerificationNotInitialized

    /// A stable word for logs and JSON.
    public var name: String {
        switch self {
        case .signCountRegressed: "sign_count_regressed"
        case .backupEligibilityChanged: "backup_eligibility_changed"
        case .userVerificationNotInitialized: "user_verification_not_initialized"
        }
    }
}
