import ArgumentParser
import Foundation
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server clients import`.
struct ClientImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add and change clients as a file says.",
        discussion: """
            The file is a JSON list of clients with the members client_id, client_name, redirect_uris, \
            post_logout_redirect_uris, token_endpoint_auth_method (none for a public client), first_party, grant_types and id_token_signed_response_alg; clients list --json \
            prints one. A client that exists is changed and keeps its secret. A new client with a secret gets one, \
            which is printed once. Clients that the file does not name stay. If one is wrong, nothing changes.
            """
    )

    @Argument(help: "The file.", completion: .file())
    var file: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let list = try Self.read(file)
            let effects = Effects.live
            let now = effects.now()
            let drawn = list.map { ($0, SessionToken.random(using: effects.randomBytes)) }
            let keys = try await store.missingKeys()
            let changes = try await store.write { tx in
                var changes: [(client: OAuthClient, secret: SessionToken?)] = []
                for (metadata, token) in drawn {
                    let old = try metadata.id.flatMap { try tx.oauthClient(id: $0) }
                    let secret = metadata.isConfidential && old?.secretHash == nil ? token : nil
                    let client = metadata.record(secret: secret, replacing: old, at: now, id: "")
                    try await OperatorActions(effects: effects).store(client, replacing: old, keys, in: tx)
                    changes.append((client, secret))
                }
                return changes
            }
            try options.show(
                .array(changes.map { NewSecret.json($0.client, $0.secret) }),
                changes.flatMap { NewSecret.lines($0.client, $0.secret) }
            )
        }
    }

    private static func read(_ file: String) throws -> [ClientMetadata] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw SettingsError("\(ShownText.clean(file)) cannot be read")
        }
        guard let list = (try? JSONValue(Array(data)))?.arrayValue else {
            throw SettingsError("\(ShownText.clean(file)) is not a JSON list of clients")
        }
        return try list.map { try ClientMetadata($0) }
    }
}
