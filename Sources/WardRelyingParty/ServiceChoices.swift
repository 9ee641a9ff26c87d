public import WardWebAuthn

// The choices of a service. The strings of the standard can have unknown values, because clients send them. A service's own
// choice must be one of these cases, so a wrong word does not compile.

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
        /// The registration fails without a discoverable credential.
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
/// The service's page passes the same word to the browser's call.
///
/// Credential Management Level 1, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public enum RequestMediation: String, Hashable, Sendable, CaseIterable {
    /// With a user interface.
    case optional
    /// A form's autofill, or a passkey without a prompt.
    case conditional
}

extension AttestationPolicy {
    /// The attestation that a service asks for.
    ///
    /// WebAuthn Level 3, [§5.4.7](https://www.w3.org/TR/webauthn-3/#enum-attestation-convey).
    public enum Conveyance: String, Hashable, Sendable, CaseIterable {
        /// No attestation statement.
        case none
        /// The statement may be anonymised.
        case indirect
        /// The authenticator's own statement is requested.
        case direct
        /// The statement may identify the individual device.
        case enterprise

        /// The value in the options.
        public var preference: AttestationConveyancePreference { .init(rawValue: rawValue) }
    }
}
