import HTTPTypes
import WardRelyingParty
import WardWebAuthn

extension APIError {
    /// The error that a client gets for a refused response.
    ///
    /// At sign-in, every cause that depends on an account, its passkeys or their keys gives the same error. Causes that depend
    /// only on the request have their own errors, because the page can react: it can request new options, or show the right
    /// address.
    init(_ error: VerificationError, in kind: Ceremony.Kind) {
        if kind == .authentication, Self.concernsAccount.contains(error.code) {
            self.init(.signInFailed, "This passkey does not open an account here.")
        } else if error.code == .originNotAllowed {
            self.init(.originNotAllowed, "The passkey was used on a page that this ceremony does not belong to.")
        } else if error.code == .credentialExists {
            self.init(.credentialExists, "This passkey is registered already.")
        } else {
            self.init(Code(error.code.name, .badRequest), Self.sentence(for: error.code))
        }
    }

    /// The error for a body that the call does not accept.
    init(_ error: WebAuthnError) {
        self.init(.malformedRequest, "The body cannot be read: \(error.code.name).")
    }

    private static let concernsAccount: Set<VerificationError.Code> = [
        .credentialNotAllowed, .credentialNotFound, .userHandleMissing, .userHandleMismatch, .signatureInvalid,
        .signCountRegressed, .backupEligibilityChanged, .accountRefused, .storedKeyInvalid,
    ]

    private static func sentence(for code: VerificationError.Code) -> String {
        switch code {
        case .challengeNotFound: "This ceremony was never begun here, or is answered already."
        case .challengeExpired: "This ceremony is over; ask for new options."
        case .userNotVerified: "The authenticator did not verify its user."
        case .userNotPresent: "Nobody was there."
        default: "The authenticator's answer was not accepted."
        }
    }
}
