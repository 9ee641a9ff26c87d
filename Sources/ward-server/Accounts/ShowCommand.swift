import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account with its passkeys and sessions.",
        discussion:
            "With --json, it prints what the person's own export contains, and since when the account is disabled."
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let now = Effects.live.now()
            let (json, lines) = try await store.read { tx in
                let account = try await tx.account(typed: name)
                var export = try await JSONValue(exporting: account, session: nil, at: now, in: tx).objectValue ?? []
                export.append(.init("disabledAt", account.disabledAt.map { .string(JSONTime.text($0)) } ?? .null))
                var lines = [try AccountSummary(of: account, in: tx).line]
                for passkey in try tx.passkeys(of: account.id) {
                    let used = passkey.lastUsedAt.map { "last used \(JSONTime.text($0))" } ?? "not used yet"
                    lines.append("passkey\t\(ShownText.clean(passkey.name))\t\(used)")
                }
                for session in try tx.sessions(of: account.id) where !session.isExpired(at: now) {
                    let seen = "last active \(JSONTime.text(session.lastSeenAt))"
                    lines.append("session\t\(ShownText.clean(session.userAgent))\t\(seen)")
                }
                return (JSONValue.object(export), lines)
            }
            options.show(json, lines)
        }
    }
}
