import WardAccounts
import WardText

/// What an account has beside passkeys and the password, as far as it is confirmed.
struct OtherFactors: Sendable {
    /// The confirmed authenticator apps.
    let apps: [AuthenticatorApp]
    /// The number of recovery codes that are left.
    let recoveryCodes: Int
    /// When the recovery codes were made.
    let recoveryCodesMadeAt: Int64?
    /// Whether the owner wants codes by e-mail as a second step.
    let sendsMailCodes: Bool
    /// The linked accounts at identity providers, oldest first.
    let links: [FederatedLink]

    /// The confirmed telephone number that gets codes.
    let textNumber: PhoneNumber?

    /// Whether the owner set up a step that follows the password.
    var hasSecondStep: Bool { hasApp || sendsMailCodes || textNumber != nil }
    var hasApp: Bool { !apps.isEmpty }

    init(of account: AccountID, in tx: some AccountTransaction) async throws {
        let all = try await tx.factors(of: account).filter { $0.confirmedAt != nil }
        apps = all.filter { $0.kind == .authenticatorApp }.map(AuthenticatorApp.init)
        let codes = all.filter { $0.kind == .recoveryCode }
        recoveryCodes = codes.count
        recoveryCodesMadeAt = codes.map(\.createdAt).max()
        textNumber = all.lazy.compactMap(TextNumber.init).first?.number
        sendsMailCodes = all.contains { $0.kind == .mailCodes }
        links = all.compactMap { FederatedLink($0) }.sorted { $0.record.createdAt < $1.record.createdAt }
    }

    /// The factors as the account's owner and administrators see them.
    ///
    /// - Parameter providers: The names of the service's identity providers by issuer.
    /// - Returns: The factors as JSON.
    func json(naming providers: [String: String]) -> JSONValue {
        [
            "authenticatorApp": apps.first.map { app in
                [
                    "addedAt": .string(JSONTime.text(app.record.createdAt)),
                    "lastUsedAt": app.record.lastUsedAt.map { .string(JSONTime.text($0)) } ?? .null,
                ]
            } ?? .null,
            "mailCodes": .bool(sendsMailCodes),
            "textCodes": textNumber.map { ["to": .string($0.masked)] } ?? .null,
            "recoveryCodes": [
                "left": .integer(Int64(recoveryCodes)),
                "madeAt": recoveryCodesMadeAt.map { .string(JSONTime.text($0)) } ?? .null,
            ],
            "federated": .array(links.map { $0.json(naming: providers) }),
        ]
    }
}
