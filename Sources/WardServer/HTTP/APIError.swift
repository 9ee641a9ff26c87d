package import HTTPTypes
import WardText

/// An error response of the API.
///
/// The body is `{"error":{"code","message"}}`. Codes are stable; messages are for developers and may change.
package struct APIError: CodedError {
    /// A stable code and its HTTP status.
    ///
    /// Errors are equal if their codes are.
    package struct Code: ErrorCode {
        /// The code, in snake case.
        package let name: String
        /// The HTTP status.
        package let status: HTTPResponse.Status

        package init(_ name: String, _ status: HTTPResponse.Status) {
            self.name = name
            self.status = status
        }
    }

    /// The code.
    package let code: Code
    /// One sentence.
    ///
    /// It contains no secrets and nothing that the client sent.
    package let message: String
    /// When the client may try again, in seconds; sent as `Retry-After`.
    package let retryAfter: Int64?
    /// One line for a log.
    package var description: String { "\(code.name): \(message)" }

    package init(_ code: Code, _ message: String, retryAfter: Int64? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The answer's body.
    package var json: [UInt8] {
        let body: JSONValue = ["error": ["code": .string(code.name), "message": .string(message)]]
        return body.serialized
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

    /// The address is not one of an app of the service.
    package static var appNotAllowed: Self { .init("app_not_allowed", .forbidden) }
    /// The code was used, has expired, or belongs to another browser or host.
    package static var codeNotValid: Self { .init("code_not_valid", .forbidden) }

    // MARK: The session

    /// The call needs a session.
    package static var notSignedIn: Self { .init("not_signed_in", .unauthorized) }
    /// The call needs a sign-in within the last minutes.
    package static var recentSignInRequired: Self { .init("recent_sign_in_required", .forbidden) }
    /// The call needs a sign-in with a passkey within the last minutes.
    package static var passkeySignInRequired: Self { .init("passkey_sign_in_required", .forbidden) }
    /// The call needs a sign-in with a passkey and then the password: the account's passkeys verify nobody.
    package static var passkeyAndPasswordRequired: Self { .init("passkey_and_password_required", .forbidden) }
    /// The account's passkeys verify nobody, and it has no password.
    package static var secondFactorMissing: Self { .init("second_factor_missing", .forbidden) }
    /// An automatic upgrade needs a session that began with a password.
    package static var passwordSignInRequired: Self { .init("password_sign_in_required", .forbidden) }
    /// The account, the passkey or the password is wrong.
    ///
    /// All these cases look the same from outside.
    package static var signInFailed: Self { .init("sign_in_failed", .unauthorized) }
    /// An administrator disabled the account; said only after a proof that the caller is its owner.
    package static var accountDisabled: Self { .init("account_disabled", .forbidden) }
    /// Too many wrong passwords for one name; `Retry-After` says how long to wait.
    package static var tooManyAttempts: Self { .init("too_many_attempts", .tooManyRequests) }

    /// Too many wrong passwords or new accounts from one address or altogether; `Retry-After` says how long to wait.
    package static var tooManyRequests: Self { .init("too_many_requests", .tooManyRequests) }

    // MARK: Values

    /// The user name has characters or a length that are not allowed.
    package static var usernameNotAllowed: Self { .init("username_not_allowed", .unprocessableContent) }
    /// The user name is one that would be taken for the service.
    package static var usernameReserved: Self { .init("username_reserved", .unprocessableContent) }
    /// The user name mixes scripts or has rare letters.
    package static var usernameConfusable: Self { .init("username_confusable", .unprocessableContent) }
    /// The display name is empty, too long or has control characters.
    package static var displayNameNotAllowed: Self { .init("display_name_not_allowed", .unprocessableContent) }
    /// The passkey's name is empty, too long or has control characters.
    package static var passkeyNameNotAllowed: Self { .init("passkey_name_not_allowed", .unprocessableContent) }

    /// The password has too few characters.
    package static var passwordTooShort: Self { .init("password_too_short", .unprocessableContent) }
    /// The password takes too many bytes.
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
    /// The account has as many passkeys as it can have.
    package static var tooManyPasskeys: Self { .init("too_many_passkeys", .conflict) }
    /// The password of an account without a passkey cannot be removed.
    package static var passwordNeeded: Self { .init("password_needed", .conflict) }
    /// The only passkey of an account without a password cannot be deleted.
    package static var lastPasskey: Self { .init("last_passkey", .conflict) }
    /// The service failed; the log says why.
    package static var internalError: Self { .init("internal_error", .internalServerError) }
    /// Too many passwords are being checked; `Retry-After` says when to try again.
    package static var passwordsBusy: Self { .init("passwords_busy", .serviceUnavailable) }
    /// The store does not respond.
    package static var unavailable: Self { .init("unavailable", .serviceUnavailable) }
}
