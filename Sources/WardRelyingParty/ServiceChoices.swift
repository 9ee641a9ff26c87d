public import WardWebAuthn

// What a service decides. The strings of the standard are open, because unknown ones come from clients; a service's own
// decision is one of these and nothing else, so that a misspelt word does not compile instead of asking for less.

extension RelyingPartyPolicy {
    /// Whether a service asks for user verification.
    ///
    /// WebAuthn Level 3, [§5.8.6](https://www.w3.org/TR/webauthn-3/#enum-userVerificationRequirement).
    public enum UserVerification: String, Hashable, Sendable, CaseIterable {
        /// The ceremony fails without it.
        case required
        /// The client verifies the person if it can; the answer says whether it did.
        case preferred
        /// The client should not verify the person.
        case discouraged

        /// The value in the options.
        public var requirement: UserVerificationRequirement { .init(rawValue: rawValue) }
    }
}

extension RegistrationRequest {
    /// Whether a service asks for a discoverable credential.
    ///
    /// WebAuthn Level 3, [§5.4.6](https://www.w3.org/TR/webauthn-3/#enum-residentKeyRequirement).
    public enum ResidentKey: String, Hashable, Sendable, CaseIterable {
        /// Registration fails without a discoverable credential.
        case required
        /// Discoverable if possible.
        case preferred
        /// Preferably not discoverable.
        case discouraged

        /// The value in the options.
        public var requirement: ResidentKeyRequirement { .init(rawValue: rawValue) }
    }
}

/// How the client of a service's request interacts with the person, as far as verification depends on it.
///
/// The service's page hands the same word to the browser's call.
///
/// Credential Management Level 1, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public enum RequestMediation: String, Hashable, Sendable, CaseIterable {
    /// With a user interface.
    case optional
    /// In a form's autofill, or as an automatic upgrade.
    case conditional
}

extension AttestationPolicy {
    /// The attestation that a service asks for.
    ///
    /// WebAuthn Level 3, [§5.4.7](https://www.w3.org/TR/webauthn-3/#enum-attestation-convey).
    public enum Conveyance: String, Hashable, Sendable, CaseIterable {
        /// No attestation statement.
        case none
        /// A statement that may be anonymised.
        case indirect
        /// The authenticator's own statement.
        case direct
        /// A statement that may identify the individual device.
        case enterprise

        /// The value in the options.
        public var preference: AttestationConveyancePreference { .init(rawValue: rawValue) }
    }
}
