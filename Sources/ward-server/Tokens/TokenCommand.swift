import ArgumentParser
import WardAccounts
import WardServer
import WardTerminal
import WardText

/// `ward-server token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke tokens of the admin API.",
        discussion: """
            A token lets a program use the admin API, which the service has at the address of --admin-listen. It allows \
            only what its scopes say: \(AdminToken.Scope.all.map(\.rawValue).joined(separator: ", ")).

            Exit codes: 64 if the settings are not valid, 66 if the token does not exist, 69 if the database cannot be used.
            """,
        subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self]
    )
}

extension AdminToken {
    var json: JSONValue {
        [
            "id": .string(id), "name": .string(name),
            "scopes": .array(scopes.map(\.rawValue).sorted().map { .string($0) }),
            "createdAt": .string(JSONTime.text(createdAt)), "expiresAt": .string(JSONTime.text(expiresAt)),
            "lastUsedAt": lastUsedAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }

    /// Tabs separate the parts, for other programs.
    var line: String {
        let used = lastUsedAt.map { "last used \(JSONTime.text($0))" } ?? "not used yet"
        let parts = [
            id, ShownText.clean(name), scopes.map { ShownText.clean($0.rawValue) }.sorted().joined(separator: " "),
            "until \(JSONTime.text(expiresAt))", used,
        ]
        return parts.joined(separator: "\t")
    }
}
