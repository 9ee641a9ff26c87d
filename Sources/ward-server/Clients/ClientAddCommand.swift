import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server clients add`.
struct ClientAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a client and print its ID and secret.",
        discussion: """
            The secret is printed once; the database has its hash. A client that cannot keep a secret, such as an app on people's \
            devices or a page of scripts, is --public and gets none.

            A redirect URI is compared character by character. Native apps register http://127.0.0.1/path or http://[::1]/path, \
            where any port is accepted, or a scheme of their own such as com.example.app:/path.
            """
    )

    @Argument(help: "The name that people read.")
    var name: String

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Where people return to; repeat it for more.", valueName: "uri")
    )
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp("Where people return to after they sign out; repeat it for more.", valueName: "uri")
    )
    var postLogoutRedirectURIs: [String] = []

    @Option(help: ArgumentHelp("The client's ID (default: 32 random characters).", valueName: "id"))
    var id: String?

    @Flag(name: .customLong("public"), help: "The client keeps no secret.")
    var isPublic = false

    @Flag(help: "The client is your own: nobody is asked to agree.")
    var firstParty = false

    @Flag(help: "The client may sign in devices without a browser, with a code that a person types elsewhere.")
    var device = false

    @Option(
        name: .customLong("id-token-alg"),
        help: ArgumentHelp(
            "What signs the client's ID tokens: ES256 or RS256 (default: ES256).",
            valueName: "algorithm"
        ),
        transform: { text in
            guard let algorithm = IDTokenAlgorithm(rawValue: text) else {
                throw ValidationError("--id-token-alg must be ES256 or RS256")
            }
            return algorithm
        }
    )
    var idTokenAlgorithm = IDTokenAlgorithm.es256

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let metadata = try ClientMetadata(
                id: id,
                name: name,
                isConfidential: !isPublic,
                redirectURIs: redirectURIs,
                postLogoutRedirectURIs: postLogoutRedirectURIs,
                isFirstParty: firstParty,
                allowsDevices: device,
                idTokenAlgorithm: idTokenAlgorithm
            )
            let effects = Effects.live
            let now = effects.now()
            let secret = isPublic ? nil : SessionToken.random(using: effects.randomBytes)
            let drawn = OAuthClient.drawnID(using: effects.randomBytes)
            let client = metadata.record(secret: secret, at: now, id: drawn)
            let keys = try await store.missingKeys()
            try await store.write { tx in
                guard try tx.oauthClient(id: client.id) == nil else {
                    throw SettingsError("a client with the ID \(client.id) exists. Choose another one with --id")
                }
                try await OperatorActions(effects: effects).store(client, replacing: nil, keys, in: tx)
            }
            try options.show(NewSecret.json(client, secret), NewSecret.lines(client, secret))
        }
    }
}

/// What is printed once.
enum NewSecret {
    static func json(_ client: OAuthClient, _ secret: SessionToken?) -> JSONValue {
        var members: [JSONValue.Member] = [.init("client_id", .string(client.id))]
        if let secret { members.append(.init("client_secret", .string(secret.text))) }
        return .object(members)
    }

    static func lines(_ client: OAuthClient, _ secret: SessionToken?) -> [String] {
        ["client_id\t\(client.id)"] + (secret.map { ["client_secret\t\($0.text)"] } ?? [])
    }
}
