import ArgumentParser
import WardStoreSQLite

/// `ward-server token list`.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all tokens, also expired ones.",
        discussion:
            "With --json, each line is one token. The tokens themselves are not shown: the database has only their hashes."
    )

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            for token in try await store.read({ try $0.adminTokens() }) { try options.show(token.json, [token.line]) }
        }
    }
}
