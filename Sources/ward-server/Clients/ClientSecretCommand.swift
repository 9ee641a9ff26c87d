import ArgumentParser
import WardAccounts
import WardStoreSQLite
import WardWebAuthn

/// `ward-server clients rotate-secret`.
struct ClientSecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret",
        abstract: "Print a new secret of a client.",
        discussion: "The old secret ends at once. The client's tokens stay. The new secret is printed once."
    )

    @Argument(help: "The client's ID.")
    var id: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (id, effects) = (id, Effects.live)
            let (secret, now) = (SessionToken.random(using: effects.randomBytes), effects.now())
            let client = try await store.write { tx in
                var client = try tx.client(typed: id)
                guard client.secretHash != nil else {
                    throw SettingsError("the client \(id) is public: it has no secret")
                }
                client.secretHash = secret.hash
                try tx.update(client)
                try tx.append(AuditEvent(.clientChanged, at: now, by: .operator, of: nil))
                return client
            }
            options.show(NewSecret.json(client, secret), NewSecret.lines(client, secret))
        }
    }
}
