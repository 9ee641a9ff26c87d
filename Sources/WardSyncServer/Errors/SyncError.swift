package import HTTPTypes
import WardText

/// An error response of the sync server.
///
/// The body is a problem document, as everywhere in the service. Codes are stable; messages are for developers and may change.
package struct SyncError: CodedError {
    /// A stable code and its HTTP status.
    package struct Code: ErrorCode {
        /// The code in snake case.
        package let name: String
        package let status: HTTPResponse.Status

        init(_ name: String, _ status: HTTPResponse.Status) {
            self.name = name
            self.status = status
        }
    }

    package let code: Code
    /// One sentence, without secrets and without text of the client.
    package let message: String
    /// The number of seconds after which the client may try again.
    package var retryAfter: Int64?
    /// What the client can act on, beside the code.
    var details: [JSONValue.Member] = []
    /// The header fields that the answer has.
    var fields = HTTPFields()

    package var detail: String { message }

    package init(_ code: Code, _ message: String, retryAfter: Int64? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The error with a member of the problem document.
    func with(_ name: String, _ value: JSONValue) -> Self {
        var error = self
        error.details.append(.init(name, value))
        return error
    }

    /// The error with a list of hashes in hexadecimal.
    func with(_ name: String, hashes: some Sequence<[UInt8]>) -> Self {
        with(name, .array(hashes.map { .string(Hex.encode($0)) }))
    }
}

extension SyncError.Code {
    // MARK: The request

    /// The body or a header field does not have the form that the call expects.
    package static var malformedRequest: Self { .init("malformed_request", .badRequest) }
    /// A parameter of the query is unknown, repeated, or out of its range.
    package static var parameterNotValid: Self { .init("parameter_not_valid", .badRequest) }
    /// The body is too long.
    package static var bodyTooLarge: Self { .init("body_too_large", .contentTooLarge) }
    /// The upload has too many entries.
    package static var tooManyEntries: Self { .init("too_many_entries", .contentTooLarge) }
    /// The `Content-Type` is another one.
    package static var unsupportedMediaType: Self { .init("unsupported_media_type", .unsupportedMediaType) }
    /// Nothing exists at this address.
    package static var notFound: Self { .init("not_found", .notFound) }
    /// The address does not support the method.
    package static var methodNotAllowed: Self { .init("method_not_allowed", .methodNotAllowed) }
    /// The device, or the address of the client, asks too often; `Retry-After` says how long to wait.
    package static var tooManyRequests: Self { .init("too_many_requests", .tooManyRequests) }

    // MARK: Sessions

    /// The call needs a session of this vault.
    package static var sessionRequired: Self { .init("session_required", .unauthorized) }
    /// The vault or the device is unknown here, or the signature, the challenge or the time is wrong.
    ///
    /// The error is the same in all these cases, so that a stranger does not learn which vaults there are.
    package static var sessionRefused: Self { .init("session_refused", .unauthorized) }
    /// The device is not in the circle any more.
    ///
    /// A caller learns this only after proving to be the device.
    package static var deviceRemoved: Self { .init("device_removed", .forbidden) }
    /// A signature of the statement is wrong, or an owner key in force has not signed it.
    package static var statementRefused: Self { .init("statement_refused", .forbidden) }

    // MARK: Vaults

    /// A new vault needs an invitation of the operator, or a sign-in.
    package static var invitationRequired: Self { .init("invitation_required", .unauthorized) }
    /// The invitation was used, has expired, or never existed.
    package static var invitationNotValid: Self { .init("invitation_not_valid", .forbidden) }
    /// Vaults of this server need an invitation of the operator: nobody can sign in.
    package static var signInNotOffered: Self { .init("sign_in_not_offered", .notFound) }
    /// The person did not agree.
    package static var signInRefused: Self { .init("sign_in_refused", .forbidden) }
    /// The sign-in has expired, or never began.
    package static var signInOver: Self { .init("sign_in_over", .gone) }
    /// The account has the maximum number of vaults.
    package static var tooManyVaults: Self { .init("too_many_vaults", .forbidden) }
    /// The vault is here already.
    package static var vaultExists: Self { .init("vault_exists", .conflict) }
    /// The upload does not begin with the first entry of a vault.
    package static var vaultNotValid: Self { .init("vault_not_valid", .unprocessableContent) }

    // MARK: Entries

    /// The bytes are no entry.
    package static var entryMalformed: Self { .init("entry_malformed", .badRequest) }
    /// The upload has an entry twice.
    package static var entryRepeated: Self { .init("entry_repeated", .badRequest) }
    /// The log does not take the entry: it breaks a rule, or a signature is wrong.
    package static var entryRefused: Self { .init("entry_refused", .unprocessableContent) }
    /// An entry is of a device that was removed, and does not count.
    package static var entryVoid: Self { .init("entry_void", .forbidden) }
    /// The device signed too many entries beside each other.
    package static var tooManyChains: Self { .init("too_many_chains", .forbidden) }
    /// A blob is not the one that its entry names, or the entry names none.
    package static var blobWrong: Self { .init("blob_wrong", .unprocessableContent) }
    /// Entries came without blobs that must still be kept.
    package static var blobMissing: Self { .init("blob_missing", .conflict) }
    /// Entries name others that are not here.
    package static var gap: Self { .init("gap", .conflict) }
    /// Entries were stored that contradict others of their device.
    ///
    /// The upload is done.
    package static var equivocation: Self { .init("equivocation", .conflict) }
    /// The client has seen more entries than there are: the server lost some.
    package static var numberAhead: Self { .init("number_ahead", .conflict) }
    /// An operation of the circle needs `If-Match`.
    package static var ifMatchRequired: Self { .init("if_match_required", .preconditionRequired) }
    /// Other entries arrived since the client looked.
    package static var headMoved: Self { .init("head_moved", .preconditionFailed) }
    /// The upload has an operation of a circle, and nobody said which entry begins the circle.
    package static var circleRootRequired: Self { .init("circle_root_required", .unprocessableContent) }
    /// The entry that is to begin the circle is not in the upload.
    package static var circleRootNotFound: Self { .init("circle_root_not_found", .unprocessableContent) }
    /// The server was told that another entry begins the circle.
    package static var circleRootDiffers: Self { .init("circle_root_differs", .conflict) }
    /// The vault is full, or the device's part of it.
    package static var quotaExceeded: Self { .init("quota_exceeded", .init(code: 507)) }

    // MARK: Meetings

    /// There is no meeting with this number, or the token is of another one.
    package static var meetingNotFound: Self { .init("meeting_not_found", .notFound) }
    /// The time is over, or a device ended the meeting.
    package static var meetingOver: Self { .init("meeting_over", .gone) }
    /// Another device came to the meeting before.
    package static var meetingTaken: Self { .init("meeting_taken", .conflict) }
    /// The message is here already, is for the other device to write, or comes before its turn.
    package static var messageRefused: Self { .init("message_refused", .conflict) }

    // MARK: The service

    /// The service has too much to do at the moment.
    package static var busy: Self { .init("busy", .serviceUnavailable) }
    /// The service cannot answer now.
    package static var unavailable: Self { .init("unavailable", .serviceUnavailable) }
    /// The service failed.
    package static var internalError: Self { .init("internal_error", .internalServerError) }
}
