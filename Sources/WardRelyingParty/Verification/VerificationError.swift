/// A ceremony that must not be accepted: which check failed, at which step, and what was expected.
///
/// Errors are equal when their codes are.
public struct VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which check failed; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case challengeNotFound = "challenge_not_found"
            case challengeExpired = "challenge_expired"
            case ceremonyMismatch = "ceremony_mismatch"
            case malformedResponse = "malformed_response"
            case typeMismatch = "type_mismatch"
            case challengeMismatch = "challenge_mismatch"
            case originNotAllowed = "origin_not_allowed"
            case crossOriginNotAllowed = "cross_origin_not_allowed"
            case topOriginNotAllowed = "top_origin_not_allowed"
            case rpIDMismatch = "rp_id_mismatch"
            case userNotPresent = "user_not_present"
            case userNotVerified = "user_not_verified"
            case backupStateInvalid = "backup_state_invalid"
            case backupEligibilityChanged = "backup_eligibility_changed"
            case algorithmNotAllowed = "algorithm_not_allowed"
            case algorithmNotSupported = "algorithm_not_supported"
            case publicKeyInvalid = "public_key_invalid"
            case attestationFormatNotAllowed = "attestation_format_not_allowed"
            case attestationInvalid = "attestation_invalid"
            case attestationNotTrusted = "attestation_not_trusted"
            case authenticatorNotAllowed = "authenticator_not_allowed"
            case credentialIDMismatch = "credential_id_mismatch"
            case credentialIDTooLong = "credential_id_too_long"
            case credentialExists = "credential_exists"
            case credentialNotAllowed = "credential_not_allowed"
            case userHandleMissing = "user_handle_missing"
            case userHandleMismatch = "user_handle_mismatch"
            case credentialNotFound = "credential_not_found"
            case signatureInvalid = "signature_invalid"
            case signCountRegressed = "sign_count_regressed"
            case accountRefused = "account_refused"
        }
        private let base: Base

        /// No such ceremony: never begun, or already answered once.
        public static var challengeNotFound: Self { .init(base: .challengeNotFound) }
        /// The ceremony's time is over.
        public static var challengeExpired: Self { .init(base: .challengeExpired) }
        /// The ceremony was begun for the other purpose, or for another RP ID.
        public static var ceremonyMismatch: Self { .init(base: .ceremonyMismatch) }
        /// A part of the response cannot be read.
        public static var malformedResponse: Self { .init(base: .malformedResponse) }
        /// The client data is of another type of ceremony.
        public static var typeMismatch: Self { .init(base: .typeMismatch) }
        /// The client answered another challenge.
        public static var challengeMismatch: Self { .init(base: .challengeMismatch) }
        /// The caller's origin is not one the relying party listed, or not the one the ceremony began at.
        public static var originNotAllowed: Self { .init(base: .originNotAllowed) }
        /// The caller sat in a frame of another origin.
        public static var crossOriginNotAllowed: Self { .init(base: .crossOriginNotAllowed) }
        /// The framing origin is not one the relying party listed.
        public static var topOriginNotAllowed: Self { .init(base: .topOriginNotAllowed) }
        /// The authenticator signed for another RP ID.
        public static var rpIDMismatch: Self { .init(base: .rpIDMismatch) }
        /// Nobody was there.
        public static var userNotPresent: Self { .init(base: .userNotPresent) }
        /// The person was not verified, or by a means that the credential's registration does not vouch for.
        public static var userNotVerified: Self { .init(base: .userNotVerified) }
        /// Backed up, but not eligible for backup.
        public static var backupStateInvalid: Self { .init(base: .backupStateInvalid) }
        /// Backup eligibility differs from the record's.
        public static var backupEligibilityChanged: Self { .init(base: .backupEligibilityChanged) }
        /// The key's algorithm was not asked for.
        public static var algorithmNotAllowed: Self { .init(base: .algorithmNotAllowed) }
        /// The key's algorithm is not one that credentials are verified with here, whatever was asked for.
        public static var algorithmNotSupported: Self { .init(base: .algorithmNotSupported) }
        /// The public key is not sound, such as a point that is not on its curve.
        public static var publicKeyInvalid: Self { .init(base: .publicKeyInvalid) }
        /// The attestation's format is not one the policy takes.
        public static var attestationFormatNotAllowed: Self { .init(base: .attestationFormatNotAllowed) }
        /// The attestation statement does not hold.
        public static var attestationInvalid: Self { .init(base: .attestationInvalid) }
        /// The attestation holds, but nobody trusted vouches for it.
        public static var attestationNotTrusted: Self { .init(base: .attestationNotTrusted) }
        /// The policy does not take this model of authenticator.
        public static var authenticatorNotAllowed: Self { .init(base: .authenticatorNotAllowed) }
        /// The response's identifier is not the attested one.
        public static var credentialIDMismatch: Self { .init(base: .credentialIDMismatch) }
        /// The identifier has more than 1,023 bytes.
        public static var credentialIDTooLong: Self { .init(base: .credentialIDTooLong) }
        /// The credential is already registered, for this account or another.
        public static var credentialExists: Self { .init(base: .credentialExists) }
        /// The credential is not among those the ceremony allowed.
        public static var credentialNotAllowed: Self { .init(base: .credentialNotAllowed) }
        /// Nobody is named: neither by the ceremony nor by the response.
        public static var userHandleMissing: Self { .init(base: .userHandleMissing) }
        /// The response names another account than the ceremony.
        public static var userHandleMismatch: Self { .init(base: .userHandleMismatch) }
        /// The account has no such credential.
        public static var credentialNotFound: Self { .init(base: .credentialNotFound) }
        /// The signature does not hold under the stored key.
        public static var signatureInvalid: Self { .init(base: .signatureInvalid) }
        /// The signature counter did not grow, and the policy refuses that.
        public static var signCountRegressed: Self { .init(base: .signCountRegressed) }
        /// Every check passed, and the service would not take the account.
        public static var accountRefused: Self { .init(base: .accountRefused) }

        /// A stable word for logs and JSON.
        public var name: String { base.rawValue }
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
