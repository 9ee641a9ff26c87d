package import HTTPTypes
import WardText

/// An error response of the API.
///
/// The body is a problem document, ``document``. Codes are stable; messages are for developers and may change.
package struct APIError: CodedError {
    /// A stable code and its HTTP status.
    ///
    /// Errors are equal if their codes are.
    package struct Code: ErrorCode {
        /// The code in snake case.
        package let name: String
        /// The HTTP status.
        package let status: HTTPResponse.Status

        package init(_ name: String, _ status: HTTPResponse.Status) {
            self.name = name
            self.status = status
        }
    }

    package let code: Code
    /// One sentence.
    ///
    /// The message contains no secrets and no text from the client, except in the admin API, whose callers are trusted.
    package let message: String
    /// The number of seconds after which the client may try again, sent as `Retry-After`.
    package let retryAfter: Int64?
    /// The limit that was reached, for the metrics: a word of the service's own.
    package let limit: String?
    /// The member of the request's body that is at fault, as a JSON Pointer in a URI fragment (RFC 6901, section 6): `#/username`.
    package private(set) var pointer: String?
    /// A description on one line, for a log.
    package var description: String { "\(code.name): \(message)" }

    package init(_ code: Code, _ message: String, retryAfter: Int64? = nil, limit: String? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.limit = limit
    }

    /// The error with the member of the body that is at fault; its name needs no escapes.
    func at(_ member: String) -> Self {
        var error = self
        error.pointer = "#/" + member
        return error
    }
}

extension APIError.Code {
    // MARK: The request

    /// The body or a part of it does not have the form that the call expects.
    package static var malformedRequest: Self { .init("malformed_request", .badRequest) }
    /// The request's head is larger than 16 KiB.
    package static var headerTooLarge: Self { .init("header_too_large", .requestHeaderFieldsTooLarge) }
    /// The body is larger than 64 KiB.
    package static var bodyTooLarge: Self { .init("body_too_large", .contentTooLarge) }
    /// The request took too long to arrive.
    package static var requestTimeout: Self { .init("request_timeout", .requestTimeout) }
    /// The `Transfer-Encoding` is not `chunked`.
    package static var codingNotSupported: Self { .init("transfer_coding_not_supported", .notImplemented) }
    /// The `Content-Type` is not JSON.
    package static var unsupportedMediaType: Self { .init("unsupported_media_type", .unsupportedMediaType) }
    /// Nothing exists at this address, or it belongs to another account.
    package static var notFound: Self { .init("not_found", .notFound) }
    /// The address does not support the method.
    package static var methodNotAllowed: Self { .init("method_not_allowed", .methodNotAllowed) }
    /// The request, or the page that answered the ceremony, is not from an origin of the service.
    package static var originNotAllowed: Self { .init("origin_not_allowed", .forbidden) }

    /// The service takes no new accounts.
    package static var registrationClosed: Self { .init("registration_closed", .forbidden) }
    /// A new account needs an invitation.
    package static var invitationRequired: Self { .init("invitation_required", .forbidden) }
    /// The invitation was used, has expired, or never existed.
    package static var invitationNotValid: Self { .init("invitation_not_valid", .forbidden) }

    /// The service accepts no passwords.
    package static var passwordsDisabled: Self { .init("passwords_disabled", .forbidden) }
    /// The recovery link was used, was replaced, has expired, or never existed.
    package static var recoveryLinkNotValid: Self { .init("recovery_link_not_valid", .forbidden) }

    /// The recovery link needs another proof, or a wait, before it adds a passkey.
    package static var recoveryNotOpen: Self { .init("recovery_not_open", .forbidden) }
    /// The service has no helpers for recoveries.
    package static var helpersDisabled: Self { .init("helpers_disabled", .forbidden) }
    /// The account has the maximum number of helpers.
    package static var tooManyHelpers: Self { .init("too_many_helpers", .conflict) }
    /// The person does not ask for help now, or the helper does not count yet.
    package static var helpNotAsked: Self { .init("help_not_asked", .conflict) }
    /// The code that a helper typed is wrong.
    package static var helpCodeWrong: Self { .init("help_code_wrong", .unprocessableContent) }
    /// The service's rules ask for a passkey that the account does not have.
    package static var policyNotMet: Self { .init("policy_not_met", .forbidden) }
    /// The service's rules ask for what would be removed.
    package static var rulesNeedIt: Self { .init("rules_need_it", .conflict) }
    /// The new passkey does not count by the service's rules.
    package static var passkeyNotAccepted: Self { .init("passkey_not_accepted", .unprocessableContent) }
    /// The service has no sync server, which keeps vaults.
    package static var syncDisabled: Self { .init("sync_disabled", .forbidden) }
    /// The service sends no text messages.
    package static var textsDisabled: Self { .init("texts_disabled", .forbidden) }
    /// The service sends no mail.
    package static var mailDisabled: Self { .init("mail_disabled", .forbidden) }
    /// The link of a message was used, was replaced, has expired, or never existed.
    package static var mailLinkNotValid: Self { .init("mail_link_not_valid", .forbidden) }

    /// The address is not one of an app of the service.
    package static var appNotAllowed: Self { .init("app_not_allowed", .forbidden) }
    /// The code was used, has expired, or belongs to another browser or host.
    package static var codeNotValid: Self { .init("code_not_valid", .forbidden) }

    // MARK: The session

    /// The call needs a session.
    package static var notSignedIn: Self { .init("not_signed_in", .unauthorized) }
    /// The session is bound to a device, and the request has no proof that it comes from there.
    package static var deviceProofRequired: Self { .init("device_proof_required", .unauthorized) }
    /// A browser must sign the challenge of the answer.
    package static var deviceChallenge: Self { .init("device_challenge", .forbidden) }
    /// The proof does not come from the device of the session, or is not one.
    package static var deviceProofNotValid: Self { .init("device_proof_not_valid", .badRequest) }
    /// The session is already bound to a device.
    package static var sessionBound: Self { .init("session_bound", .conflict) }
    /// The call needs a sign-in within the last minutes.
    package static var recentSignInRequired: Self { .init("recent_sign_in_required", .forbidden) }
    /// The call needs a sign-in with a passkey within the last minutes.
    package static var passkeySignInRequired: Self { .init("passkey_sign_in_required", .forbidden) }
    /// The call needs a sign-in with a passkey and then the password, because no passkey of the account verifies the person.
    package static var passkeyAndPasswordRequired: Self { .init("passkey_and_password_required", .forbidden) }
    /// No passkey of the account verifies the person, and the account has no password.
    package static var secondFactorMissing: Self { .init("second_factor_missing", .forbidden) }
    /// Only after a sign-in with a password can a passkey be created without a prompt.
    package static var passwordSignInRequired: Self { .init("password_sign_in_required", .forbidden) }
    /// The account does not exist, or the passkey or password is wrong.
    ///
    /// The error is the same in all these cases, so that a caller does not learn which one it is.
    package static var signInFailed: Self { .init("sign_in_failed", .unauthorized) }
    /// The sign-in in steps took too long, had too many wrong answers, or never began.
    package static var flowNotValid: Self { .init("flow_not_valid", .forbidden) }
    /// The sign-in does not ask for this step now.
    package static var stepNotAllowed: Self { .init("step_not_allowed", .conflict) }
    /// The code is wrong, was used, or has expired.
    package static var codeWrong: Self { .init("code_wrong", .unauthorized) }
    /// The passkey was deleted from its account.
    package static var passkeyDeleted: Self { .init("passkey_deleted", .unauthorized) }
    /// An administrator disabled the account.
    ///
    /// The caller learns this only after proving to be the owner.
    package static var accountDisabled: Self { .init("account_disabled", .forbidden) }
    /// Too many wrong passwords for one name; `Retry-After` says how long to wait.
    package static var tooManyAttempts: Self { .init("too_many_attempts", .tooManyRequests) }

    /// Too many wrong passwords or new accounts, from one address or from all clients together; `Retry-After` says how long to
    /// wait.
    package static var tooManyRequests: Self { .init("too_many_requests", .tooManyRequests) }

    // MARK: Identity providers

    /// The identity provider cannot be reached, or its documents cannot be used.
    package static var providerUnavailable: Self { .init("provider_unavailable", .badGateway) }
    /// The answer of the identity provider is not valid.
    package static var providerRefused: Self { .init("provider_refused", .forbidden) }
    /// The person cancelled at the identity provider.
    package static var providerCancelled: Self { .init("provider_cancelled", .forbidden) }
    /// The account at the identity provider is linked to another account.
    package static var identityTaken: Self { .init("identity_taken", .conflict) }
    /// The account has the maximum number of linked accounts.
    package static var tooManyLinks: Self { .init("too_many_links", .conflict) }
    /// The last way to sign in to an account cannot be removed.
    package static var lastWayIn: Self { .init("last_way_in", .conflict) }

    // MARK: The admin API

    /// The token is missing or unknown, has expired, or was revoked.
    package static var tokenNotValid: Self { .init("token_not_valid", .unauthorized) }
    /// The token does not allow this call.
    package static var insufficientScope: Self { .init("insufficient_scope", .forbidden) }

    /// An administrator must not do this to the own account.
    package static var ownAccount: Self { .init("own_account", .conflict) }

    // MARK: Values

    /// The user name has characters or a length that are not allowed.
    package static var usernameNotAllowed: Self { .init("username_not_allowed", .unprocessableContent) }
    /// People could take the user name for the service itself.
    package static var usernameReserved: Self { .init("username_reserved", .unprocessableContent) }
    /// The user name mixes scripts or has rare letters.
    package static var usernameConfusable: Self { .init("username_confusable", .unprocessableContent) }
    /// The display name is empty, too long or has control characters.
    package static var displayNameNotAllowed: Self { .init("display_name_not_allowed", .unprocessableContent) }
    /// The passkey's name is empty, too long or has control characters.
    package static var passkeyNameNotAllowed: Self { .init("passkey_name_not_allowed", .unprocessableContent) }

    /// A text is not the name of a group.
    package static var groupNotAllowed: Self { .init("group_not_allowed", .unprocessableContent) }
    /// The account is in none of the groups that may open the app.
    package static var groupRequired: Self { .init("group_required", .forbidden) }
    /// The code that was typed to set something up is wrong.
    package static var typedCodeWrong: Self { .init("typed_code_wrong", .unprocessableContent) }
    /// The account has no confirmed e-mail address.
    package static var addressNeeded: Self { .init("address_needed", .conflict) }
    /// The text is not a telephone number that messages are sent to.
    package static var numberNotAllowed: Self { .init("number_not_allowed", .unprocessableContent) }
    /// The e-mail address is not one that messages can be sent to.
    package static var emailNotAllowed: Self { .init("email_not_allowed", .unprocessableContent) }

    /// The password has too few characters.
    package static var passwordTooShort: Self { .init("password_too_short", .unprocessableContent) }
    /// The password has too many bytes.
    package static var passwordTooLong: Self { .init("password_too_long", .unprocessableContent) }
    /// The password has an invisible character or a control character.
    package static var passwordNotAllowed: Self { .init("password_not_allowed", .unprocessableContent) }
    /// The password is a common one.
    package static var passwordTooCommon: Self { .init("password_too_common", .unprocessableContent) }
    /// The password is known from a data breach.
    package static var passwordBreached: Self { .init("password_breached", .unprocessableContent) }

    // MARK: Conflicts and failures

    /// Another account has the name.
    package static var usernameTaken: Self { .init("username_taken", .conflict) }
    /// The passkey is already registered.
    package static var credentialExists: Self { .init("credential_exists", .conflict) }
    /// The account has the maximum number of passkeys.
    package static var tooManyPasskeys: Self { .init("too_many_passkeys", .conflict) }
    /// The password of an account without a passkey cannot be removed.
    package static var passwordNeeded: Self { .init("password_needed", .conflict) }
    /// Without the password, nothing would lead back in when the only passkey is lost.
    package static var wayBackNeeded: Self { .init("way_back_needed", .conflict) }
    /// The only passkey of an account without a password cannot be deleted.
    package static var lastPasskey: Self { .init("last_passkey", .conflict) }
    /// The service failed.
    ///
    /// The log has the reason.
    package static var internalError: Self { .init("internal_error", .internalServerError) }
    /// Too many passwords are being checked; `Retry-After` says when to try again.
    package static var passwordsBusy: Self { .init("passwords_busy", .serviceUnavailable) }
    /// The store does not respond.
    package static var unavailable: Self { .init("unavailable", .serviceUnavailable) }
}
