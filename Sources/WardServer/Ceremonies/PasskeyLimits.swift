import WardAccounts
import WardWebAuthn

/// The limits on the passkeys of one account.
///
/// Strangers can request the list of passkeys for a name, so the list must stay small.
enum PasskeyLimits {
    /// The maximum number of passkeys.
    static let count = 50
    /// The maximum size of all credential IDs and transports together, in bytes.
    static let bytes = 16 * 1024

    /// How many more passkeys recovery links can add, and how many KiB more.
    ///
    /// A person who lost every passkey of a full account cannot delete one first.
    static let recoveries = 5

    /// Checks that an account can have another passkey.
    ///
    /// - Parameters:
    ///   - passkeys: The account's passkeys.
    ///   - credential: The new credential, if it is known already.
    ///   - isRecovery: Whether a recovery link adds it.
    /// - Throws: ``APIError`` with `too_many_passkeys`.
    static func check(
        _ passkeys: [Passkey],
        adding credential: CredentialRecord? = nil,
        isRecovery: Bool
    ) throws(APIError) {
        let records = passkeys.map(\.record) + (credential.map { [$0] } ?? [])
        let more = isRecovery ? recoveries : 0
        let isTooMany = passkeys.count >= count + more
        guard !isTooMany, records.reduce(0, { $0 + $1.listedBytes }) <= bytes + more * 1_024 else {
            throw APIError(
                .tooManyPasskeys,
                "The account has the maximum number of passkeys. Delete a passkey that you no longer use."
            )
        }
    }
}

extension CredentialRecord {
    /// The size of a record in a list of allowed credentials, in bytes.
    fileprivate var listedBytes: Int { id.bytes.count + transports.reduce(0) { $0 + $1.rawValue.utf8.count } }
}
