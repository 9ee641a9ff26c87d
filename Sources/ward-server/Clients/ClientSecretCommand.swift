import ArgumentParser
import WardAccounts
import WardServer
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
            let id = id
            let (client, secret) = try await store.write { tx in
                let client = try tx.client(typed: id)
                guard client.secretHash != nil else {
                    throw SettingsError("the client \(id) is public: it has no secret")
                }
                return (client, try await OperatorActions(effects: .live).replaceSecret(of: client, in: tx))
            }
            try options.show(NewSecret.json(client, secret), NewSecret.lines(client, secret))
        }
    }
}
