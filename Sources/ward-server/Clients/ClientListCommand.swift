import ArgumentParser
import WardServer
import WardStoreSQLite
import WardText

/// `ward-server clients list`.
struct ClientListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all clients by ID.",
        discussion: "With --json, it prints a file for clients import."
    )

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let clients = try await store.read { try $0.oauthClients() }
            try options.show(.array(clients.map { ClientMetadata.json($0) }), clients.map(\.line))
        }
    }
}
