package import WardAccounts
package import WardText

extension JSONValue {
    /// All that the service keeps about an account, except secrets: no token, no hash of a token or a password.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session that asks, if there is one.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    package init(
        exporting account: Account,
        session: SessionID?,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws {
        let password = try await tx.password(of: account.id)
        self = [
            "exportedAt": .string(JSONTime.text(now)),
            "account": JSONValue(account),
            "passkeys": .array(try await tx.passkeys(of: account.id).map { JSONValue(exporting: $0) }),
            "password": password.map { ["chosenAt": .string(JSONTime.text($0.chosenAt))] } ?? .null,
            "sessions": .array(
                try await tx.sessions(of: account.id).map { JSONValue($0, isCurrent: $0.id == session) }
            ),
        ]
    }
}
