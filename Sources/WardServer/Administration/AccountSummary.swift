package import WardAccounts
package import WardText
import WardWebAuthn

/// An account in an administrator's list.
package struct AccountSummary: Sendable {
    /// The account.
    package let account: Account
    /// The number of its passkeys.
    package let passkeys: Int
    /// Whether it has a password, also one that does not sign in.
    package let hasPassword: Bool

    package init(of account: Account, in tx: some AccountTransaction) async throws {
        self.account = account
        passkeys = try await tx.passkeys(of: account.id).count
        hasPassword = try await tx.password(of: account.id) != nil
    }

    /// The summary as JSON.
    package var json: JSONValue {
        [
            "id": .string(account.id.text), "username": .string(account.username.text),
            "displayName": .string(account.displayName), "createdAt": .string(JSONTime.text(account.createdAt)),
            "passkeys": .integer(Int64(passkeys)), "hasPassword": .bool(hasPassword),
            "disabledAt": account.disabledAt.map { .string(JSONTime.text($0)) } ?? .null,
            "groups": .array(account.groups.map { .string($0.text) }),
        ]
    }
}

extension JSONValue {
    /// What an administrator sees of one account: its export, and since when it is disabled.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - now: Seconds since 1970.
    ///   - providers: The names of the service's identity providers by issuer.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    package init(
        administering account: Account,
        at now: Int64,
        naming providers: [String: String] = [:],
        in tx: some AccountTransaction
    ) async throws {
        let export = try await JSONValue(exporting: account, session: nil, at: now, naming: providers, in: tx)
        let disabledAt = account.disabledAt.map { JSONValue.string(JSONTime.text($0)) } ?? .null
        self = .object((export.objectValue ?? []) + [.init("disabledAt", disabledAt)])
    }

    /// A row of the audit log as an administrator sees it.
    ///
    /// - Parameters:
    ///   - entry: The row.
    ///   - name: The user name of its account, if the account is still there.
    package init(auditing entry: AuditEntry, of name: String?) {
        let event = entry.event
        self = [
            "number": .integer(entry.number), "time": .string(JSONTime.text(event.time)),
            "event": .string(event.kind.rawValue), "actor": .string(event.actor.rawValue),
            "account": event.account.map { .string($0.text) } ?? .null, "username": name.map { .string($0) } ?? .null,
            "method": event.method.map { .string($0.rawValue) } ?? .null,
            "passkey": event.credential.map { .string($0.base64URL) } ?? .null,
            "details": .object(
                event.details.values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
            ),
        ]
    }
}
