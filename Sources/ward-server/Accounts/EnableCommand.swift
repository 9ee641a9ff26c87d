import ArgumentParser
import WardAccounts
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts enable`.
struct EnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Let a disabled account sign in again."
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (name, now) = (name, Effects.live.now())
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                try tx.setAccount(id: account.id, disabledAt: nil)
                try tx.append(AuditEvent(.accountEnabled, at: now, by: .operator, of: account.id))
                return account.username.text
            }
            options.show(
                ["enabled": .string(username)],
                ["The account \(ShownText.clean(username)) is enabled. Its passkeys and its password sign in again."]
            )
        }
    }
}
