import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite

/// `ward-server clients show`.
struct ClientShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a client with its redirect URIs."
    )

    @Argument(help: "The client's ID.")
    var id: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let id = id
            let client = try await store.read { try $0.client(typed: id) }
            var lines = [client.line]
            lines += client.redirectURIs.map { "redirect-uri\t\($0)" }
            lines += client.postLogoutRedirectURIs.map { "post-logout-redirect-uri\t\($0)" }
            try options.show(client.json, lines + ["since\t\(JSONTime.text(client.createdAt))"])
        }
    }
}
