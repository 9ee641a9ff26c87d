import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token: it allows nothing from then on."
    )

    @Argument(help: "The token's ID, as the list shows it.")
    var id: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let id = id
            let name = try await store.write { tx in
                guard let token = try tx.adminTokens().first(where: { $0.id == id }) else { throw NoSuchToken() }
                try await OperatorActions(effects: .live).revoke(token, in: tx)
                return token.name
            }
            try options.show(["revoked": .string(id)], ["The token \(ShownText.clean(name)) is revoked."])
        }
    }
}

/// No token has the ID that somebody typed.
struct NoSuchToken: Error, CustomStringConvertible {
    let description = "there is no token with this ID. List all of them: ward-server token list"
}
