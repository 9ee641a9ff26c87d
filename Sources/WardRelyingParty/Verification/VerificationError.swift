public import WardText

/// Why a ceremony is refused: the failed check, its step, and what was expected.
///
/// Errors are equal if their codes are.
public struct VerificationError: CodedError {
    /// The failed check.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs and JSON.
        public let name: String

        /// The ceremony does not exist: it never began, or it was already answered.
        public static let challengeNotFound = Self(name: "challenge_not_found")
        /// The ceremony has expired.
        public static let challengeExpired = Self(name: "challenge_expired")
        /// The ceremony began for another purpose or another RP ID.
        public static let ceremonyMismatch = Self(name: "ceremony_mismatch")
        /// A part of the response is malformed.
        public static let malformedResponse = Self(name: "malformed_response")
        /// The type of the client data is for another kind of ceremony.
        public static let typeMismatch = Self(name: "type_mismatch")
        /// The challenge in the client data is not the one that was sent.
        public static let challengeMismatch = Self(name: "challenge_mismatch")
        /// The caller's origin is not among the relying party's origins, or the ceremony began at another origin.
        public static let originNotAllowed = Self(name: "origin_not_allowed")
        /// The page was in a frame of another origin.
        public static let crossOriginNotAllowed = Self(name: "cross_origin_not_allowed")
        /// The origin of the page around the frame is not allowed.
        public static let topOriginNotAllowed = Self(name: "top_origin_not_allowed")
        /// The authenticator signed for another RP ID.
        public static let rpIDMismatch = Self(name: "rp_id_mismatch")
        /// User presence is missing.
        public static let userNotPresent = Self(name: "user_not_present")
        /// User verification is missing, or the credential was registered without it.
        public static let userNotVerified = Self(name: "user_not_verified")
        /// The credential is backed up but not eligible for backup.
        public static let backupStateInvalid = Self(name: "backup_state_invalid")
        /// Backup eligibility differs from the record's.
        public static let backupEligibilityChanged = Self(name: "backup_eligibility_changed")
        /// The key's algorithm was not requested.
        public static let algorithmNotAllowed = Self(name: "algorithm_not_allowed")
        /// The key's algorithm is not supported for credentials, even if it was requested.
        public static let algorithmNotSupported = Self(name: "algorithm_not_supported")
        /// The public key is not valid, for example because a point is not on its curve.
        public static let publicKeyInvalid = Self(name: "public_key_invalid")
        /// The public key in the service's own record cannot be read: the service's fault, not the client's.
        public static let storedKeyInvalid = Self(name: "stored_key_invalid")
        /// The policy does not allow the attestation's format.
        public static let attestationFormatNotAllowed = Self(name: "attestation_format_not_allowed")
        /// The attestation statement is not valid.
        public static let attestationInvalid = Self(name: "attestation_invalid")
        /// The attestation is valid, but no trust anchor vouches for it.
        public static let attestationNotTrusted = Self(name: "attestation_not_trusted")
        /// The policy does not allow this model of authenticator.
        public static let authenticatorNotAllowed = Self(name: "authenticator_not_allowed")
        /// The response's credential ID is not the attested one.
        public static let credentialIDMismatch = Self(name: "credential_id_mismatch")
        /// The credential ID has more than 1,023 bytes.
        public static let credentialIDTooLong = Self(name: "credential_id_too_long")
        /// The credential is already registered, for this account or another.
        public static let credentialExists = Self(name: "credential_exists")
        /// The credential is not among the allowed ones.
        public static let credentialNotAllowed = Self(name: "credential_not_allowed")
        /// Neither the ceremony nor the response has a user handle.
        public static let userHandleMissing = Self(name: "user_handle_missing")
        /// The response has the user handle of another account.
        public static let userHandleMismatch = Self(name: "user_handle_mismatch")
        /// The account has no credential with this ID.
        public static let credentialNotFound = Self(name: "credential_not_found")
        /// The signature is not valid for the stored key.
        public static let signatureInvalid = Self(name: "signature_invalid")
        /// The signature counter did not grow, and the policy refuses this.
        public static let signCountRegressed = Self(name: "sign_count_regressed")
        /// Every check passed, but the service refused the account.
        public static let accountRefused = Self(name: "account_refused")
    }

    /// The failed check.
    public let code: Code
    /// The step of the specification that owns the check.
    public let step: VerificationStep
    /// The expected and the found value, without secrets.
    public let detail: String
    /// A description on one line, for a log.
    public var description: String { "\(code.name) (\(step)): \(detail)" }

    package init(_ code: Code, _ step: VerificationStep, _ detail: String) {
        self.code = code
        self.step = step
        self.detail = detail
    }
}

/// A step of WebAuthn Level 3's procedures.
///
/// The numbers are those of the Recommendation of 2026-08-25.
public struct VerificationStep: Hashable, Sendable, CustomStringConvertible {
    /// The procedure.
    public enum Procedure: String, Hashable, Sendable {
        /// Registration: [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential)
        case registration = "7.1"
        /// Sign-in: [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion)
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
