/// A ceremony that must not be accepted: which check failed, at which step, and what was expected.
///
/// Errors are equal when their codes are.
public struct VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which check failed; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable word for logs and JSON.
        public let name: String

        /// No such ceremony: never begun, or already answered once.
        public static let challengeNotFound = Self(name: "challenge_not_found")
        /// The ceremony's time is over.
        public static let challengeExpired = Self(name: "challenge_expired")
        /// The ceremony was begun for the other purpose, or for another RP ID.
        public static let ceremonyMismatch = Self(name: "ceremony_mismatch")
        /// A part of the response cannot be read.
        public static let malformedResponse = Self(name: "malformed_response")
        /// The client data is of another type of ceremony.
        public static let typeMismatch = Self(name: "type_mismatch")
        /// The client answered another challenge.
        public static let challengeMismatch = Self(name: "challenge_mismatch")
        /// The caller's origin is not one the relying party listed, or not the one the ceremony began at.
        public static let originNotAllowed = Self(name: "origin_not_allowed")
        /// The caller sat in a frame of another origin.
        public static let crossOriginNotAllowed = Self(name: "cross_origin_not_allowed")
        /// The framing origin is not one the relying party listed.
        public static let topOriginNotAllowed = Self(name: "top_origin_not_allowed")
        /// The authenticator signed for another RP ID.
        public static let rpIDMismatch = Self(name: "rp_id_mismatch")
        /// Nobody was there.
        public static let userNotPresent = Self(name: "user_not_present")
        /// The person was not verified, or by a means that the credential's registration does not vouch for.
        public static let userNotVerified = Self(name: "user_not_verified")
        /// Backed up, but not eligible for backup.
        public static let backupStateInvalid = Self(name: "backup_state_invalid")
        /// Backup eligibility differs from the record's.
        public static let backupEligibilityChanged = Self(name: "backup_eligibility_changed")
        /// The key's algorithm was not asked for.
        public static let algorithmNotAllowed = Self(name: "algorithm_not_allowed")
        /// The key's algorithm is not one that credentials are verified with here, whatever was asked for.
        public static let algorithmNotSupported = Self(name: "algorithm_not_supported")
        /// The public key is not sound, such as a point that is not on its curve.
        public static let publicKeyInvalid = Self(name: "public_key_invalid")
        /// The attestation's format is not one the policy takes.
        public static let attestationFormatNotAllowed = Self(name: "attestation_format_not_allowed")
        /// The attestation statement does not hold.
        public static let attestationInvalid = Self(name: "attestation_invalid")
        /// The attestation holds, but nobody trusted vouches for it.
        public static let attestationNotTrusted = Self(name: "attestation_not_trusted")
        /// The policy does not take this model of authenticator.
        public static let authenticatorNotAllowed = Self(name: "authenticator_not_allowed")
        /// The response's identifier is not the attested one.
        public static let credentialIDMismatch = Self(name: "credential_id_mismatch")
        /// The identifier has more than 1,023 bytes.
        public static let credentialIDTooLong = Self(name: "credential_id_too_long")
        /// The credential is already registered, for this account or another.
        public static let credentialExists = Self(name: "credential_exists")
        /// The credential is not among those the ceremony allowed.
        public static let credentialNotAllowed = Self(name: "credential_not_allowed")
        /// Nobody is named: neither by the ceremony nor by the response.
        public static let userHandleMissing = Self(name: "user_handle_missing")
        /// The response names another account than the ceremony.
        public static let userHandleMismatch = Self(name: "user_handle_mismatch")
        /// The account has no such credential.
        public static let credentialNotFound = Self(name: "credential_not_found")
        /// The signature does not hold under the stored key.
        public static let signatureInvalid = Self(name: "signature_invalid")
        /// The signature counter did not grow, and the policy refuses that.
        public static let signCountRegressed = Self(name: "sign_count_regressed")
        /// Every check passed, and the service would not take the account.
        public static let accountRefused = Self(name: "account_refused")
    }

    /// Which check failed.
    public let code: Code
    /// The step of the specification that owns the check.
    public let step: VerificationStep
    /// What was expected and what came, without secrets.
    public let detail: String
    /// One line for a log.
    public var description: String { "\(code.name) (\(step)): \(detail)" }

    package init(_ code: Code, _ step: VerificationStep, _ detail: String) {
        self.code = code
        self.step = step
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// A step of WebAuthn Level 3's procedures; numbers are those of the draft of 2026-07-30, names stay.
public struct VerificationStep: Hashable, Sendable, CustomStringConvertible {
    /// The procedure.
    public enum Procedure: String, Hashable, Sendable {
        /// [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential)
        case registration = "7.1"
        /// [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion)
        case authentication = "7.2"
    }

    /// The procedure.
    public let procedure: Procedure
    /// The step's number.
    public let number: Int
    /// `7.1.8` and the like.
    public var description: String { "\(procedure.rawValue).\(number)" }

    package init(_ procedure: Procedure, _ number: Int) {
        self.procedure = procedure
        self.number = number
    }

    /// A step of registration.
    package static func registration(_ number: Int) -> Self { .init(.registration, number) }
    /// A step of authentication.
    package static func authentication(_ number: Int) -> Self { .init(.authentication, number) }
}
