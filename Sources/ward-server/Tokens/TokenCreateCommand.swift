import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server token create`.
struct TokenCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Print a new token.",
        discussion: """
            The token is shown once: the database has only its hash. The program sends it as Authorization: Bearer TOKEN. \
            Give each program a token of its own, with no more scopes than it needs. A token with recovery:write can open \
            every account.
            """
    )

    @Argument(help: "What to call the token, such as the program's name.")
    var name: String

    @Option(help: ArgumentHelp("What the token allows; can be repeated.", valueName: "scope"))
    var scope: [String]

    @Option(help: ArgumentHelp("How long the token works, 60s to 3650d.", valueName: "duration"))
    var expiresIn = "90d"

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let scopes = try Set(scope.map(Self.scope))
            guard (1...64).contains(name.unicodeScalars.count), !name.allSatisfy(\.isWhitespace),
                name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { throw SettingsError("a token's name has 1 to 64 characters and no control characters") }
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard OperatorActions.tokenLifetimes.contains(seconds) else {
                throw SettingsError("--expires-in: a token lasts 60s to 3650d, not \(expiresIn)")
            }
            let name = name
            let (secret, record) = try await store.write { tx in
                try await OperatorActions(effects: .live).makeToken(named: name, scopes, lasting: seconds, in: tx)
            }
            let json = JSONValue.object((record.json.objectValue ?? []) + [.init("token", .string(secret.text))])
            try options.show(json, [secret.text])
        }
    }

    private static func scope(_ text: String) throws -> AdminToken.Scope {
        let scope = AdminToken.Scope(rawValue: text)
        guard AdminToken.Scope.all.contains(scope) else {
            let known = AdminToken.Scope.all.map(\.rawValue).joined(separator: ", ")
            throw SettingsError("--scope: there is no such scope; use one of \(known)")
        }
        return scope
    }
}
