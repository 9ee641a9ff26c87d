package import WardAccounts
package import WardText

extension JSONValue {
    /// All data that the service stores about an account, except secrets: no token, and no hash of a token or password.
    ///
    /// Of the audit log it has the newest 500 events.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session that asks, if there is one.
    ///   - now: Seconds since 1970.
    ///   - providers: The names of the service's identity providers by issuer.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    package init(
        exporting account: Account,
        session: SessionID?,
        at now: Int64,
        naming providers: [String: String],
        in tx: some AccountTransaction
    ) async throws {
        let password = try await tx.password(of: account.id)
        let addresses = try await tx.signInAddresses(of: account.id)
        self = [
            "exportedAt": .string(JSONTime.text(now)),
            "account": JSONValue(account),
            "passkeys": .array(try await tx.passkeys(of: account.id).map { JSONValue(exporting: $0) }),
            "password": password.map { ["chosenAt": .string(JSONTime.text($0.chosenAt))] } ?? .null,
            "email": JSONValue(try await tx.email(of: account.id), at: now),
            "factors": try await OtherFactors(of: account.id, in: tx).json(naming: providers),
            "helpers": try await JSONValue(helpersOf: account.id, at: now, in: tx),
            "sessions": .array(
                try await tx.sessions(of: account.id).map {
                    JSONValue($0, isCurrent: $0.id == session, from: addresses[$0.id])
                }
            ),
            "activity": .array(try await tx.activity(of: account.id).map { JSONValue($0) }),
        ]
    }
}
