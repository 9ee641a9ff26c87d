package import WardSyncRecords

/// The accounts of a service, whose owners bring vaults without an invitation of the operator.
///
/// A device shows a code, and a person answers it on a page of the service (RFC 8628). The service decides everything about
/// accounts. The sync server knows their names alone, which never change.
package struct SyncAccounts: Sendable {
    /// A sign-in that has begun.
    package struct SignIn: Hashable, Sendable {
        /// The secret of the device; it is the invitation once the person has agreed.
        package var code: SyncToken
        /// The code that the device shows and the person compares, such as `WDJB-MJHT`.
        package var userCode: String
        /// The address of the page where the person answers.
        package var page: String
        /// How long both codes are good for, in seconds.
        package var seconds: Int64
        /// The shortest time between two questions of the device, in seconds.
        package var interval: Int64

        package init(code: SyncToken, userCode: String, page: String, seconds: Int64, interval: Int64) {
            self.code = code
            self.userCode = userCode
            self.page = page
            self.seconds = seconds
            self.interval = interval
        }
    }

    /// What the person answered.
    package enum Answer: Hashable, Sendable {
        /// Nothing yet, or the device asked too early: the next question may come after so many seconds.
        case waiting(seconds: Int64)
        case refused
        /// The sign-in has expired, was used, or never began.
        case over
        /// The person agreed, with this account. The service gives this answer once.
        case agreed(account: String)
    }

    /// Begins a sign-in for the client with this address, if it is known.
    ///
    /// It throws ``SyncError`` with `too_many_requests` if the client begins too many.
    package var begin: @Sendable (_ address: String?) async throws -> SignIn
    /// Asks for the answer of the person.
    package var answer: @Sendable (_ code: SyncToken) async throws -> Answer
    /// Those of these accounts that were deleted.
    ///
    /// An account that the service does not know, and of which it has no record that it was deleted, is not among them.
    package var deleted: @Sendable (_ among: [String]) async throws -> [String]

    package init(
        begin: @escaping @Sendable (_ address: String?) async throws -> SignIn,
        answer: @escaping @Sendable (_ code: SyncToken) async throws -> Answer,
        deleted: @escaping @Sendable (_ among: [String]) async throws -> [String]
    ) {
        self.begin = begin
        self.answer = answer
        self.deleted = deleted
    }
}
