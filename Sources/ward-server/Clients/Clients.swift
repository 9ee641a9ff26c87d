import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal

/// `ward-server clients`.
struct Clients: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after the apps that sign people in with OpenID Connect.",
        discussion: """
            A client is an app that has a sign-in with OpenID Connect. The service is a provider as soon as it has a client; its \
            address is the first origin of the service.

            These commands work on the service's database, also while the service runs: it knows a change at once.

            Exit codes: 64 if the settings are not valid, 66 if the client does not exist, 69 if the database cannot be used.
            """,
        subcommands: [
            ClientAddCommand.self, ClientImportCommand.self, ClientListCommand.self, ClientShowCommand.self,
            ClientRemoveCommand.self, ClientSecretCommand.self,
        ]
    )
}

/// No client has the ID that somebody typed.
struct NoSuchClient: Error, CustomStringConvertible {
    let id: String

    var description: String {
        "no client has the ID \(ShownText.clean(id)). List all of them: ward-server clients list"
    }
}

extension SQLiteTransaction {
    /// The client of an ID that somebody typed.
    func client(typed id: String) throws -> OAuthClient {
        guard let client = try oauthClient(id: id) else { throw NoSuchClient(id: id) }
        return client
    }
}

extension SQLiteAccountStore {
    /// New keys for ID tokens, for each algorithm that has none; made before a transaction, because that takes a while.
    func missingKeys() async throws -> [IDTokenKey] {
        try IDTokenKeys(try await read { try $0.idTokenKeys() }).drawMissing()
    }
}

extension OAuthClient {
    /// Tabs separate the parts, for other programs.
    var line: String {
        let kinds =
            [secretHash == nil ? "public" : "confidential"] + (isFirstParty ? ["first-party"] : [])
            + (allowsDevices ? ["device"] : [])
        return [id, ShownText.clean(name), kinds.joined(separator: ", ")].joined(separator: "\t")
    }
}
