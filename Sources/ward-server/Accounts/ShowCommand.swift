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
            "With --json, it prints the same data as the person's own export, and the time when the account was disabled."
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let now = Effects.live.now()
            let (json, lines) = try await store.read { tx in
                let account = try await tx.account(typed: name)
                let export = try await JSONValue(administering: account, at: now, in: tx)
                var lines = [try await AccountSummary(of: account, in: tx).line]
                if let email = try tx.email(of: account.id) {
                    if let confirmed = email.confirmed { lines.append("e-mail\t\(confirmed.address)") }
                    if let pending = email.pending(at: now) { lines.append("e-mail\t\(pending)\tnot confirmed yet") }
                }
                for passkey in try tx.passkeys(of: account.id) {
                    let used = passkey.lastUsedAt.map { "last used \(JSONTime.text($0))" } ?? "not used yet"
                    lines.append("passkey\t\(ShownText.clean(passkey.name))\t\(used)")
                }
                for session in try tx.sessions(of: account.id) where !session.isExpired(at: now) {
                    let seen = "last active \(JSONTime.text(session.lastSeenAt))"
                    lines.append("session\t\(ShownText.clean(session.userAgent))\t\(seen)")
                }
                return (export, lines)
            }
            try options.show(json, lines)
        }
    }
}
