import WardAccounts
import WardWebAuthn

/// How many passkeys an account can have.
///
/// Strangers can ask for the list of a name's passkeys, so it must stay small.
enum PasskeyLimits {
    /// The largest number of passkeys.
    static let count = 50
    /// The largest size of all credential IDs and transports together, in bytes.
    static let bytes = 16 * 1024

    /// Checks that an account can have another passkey.
    ///
    /// - Parameters:
    ///   - passkeys: The account's passkeys.
    ///   - credential: The new credential, if it is known already.
    /// - Throws: ``APIError`` with `too_many_passkeys`.
    static func check(_ passkeys: [Passkey], adding credential: CredentialRecord? = nil) throws(APIError) {
        let records = passkeys.map(\.record) + (credential.map { [$0] } ?? [])
        let isTooMany = passkeys.count >= count
        guard !isTooMany, records.reduce(0, { $0 + $1.listedBytes }) <= bytes else {
            throw APIError(
                .tooManyPasskeys,
                "The account has as many passkeys as it can have. Delete one that you do not use any more."
            )
        }
    }
}

extension CredentialRecord {
    /// What the record takes in a list of allowed credentials.
    fileprivate var listedBytes: Int { id.bytes.count + transports.reduce(0) { $0 + $1.rawValue.utf8.count } }
}
