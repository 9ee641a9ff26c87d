import ArgumentParser
import WardAccounts
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts disable`.
struct DisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep everybody out of an account until it is enabled.",
        discussion: """
            Its sessions end at once, and no passkey, password or recovery link opens it. Nothing is deleted. Only a \
            person with the right passkey or password is told that the account is disabled.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (name, now) = (name, Effects.live.now())
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                try await tx.disableAccount(id: account.id, at: now)
                try tx.append(AuditEvent(.accountDisabled, at: now, by: .operator, of: account.id))
                return account.username.text
            }
            options.show(
                ["disabled": .string(username)],
                ["The account \(ShownText.clean(username)) is disabled, and its sessions have ended."]
            )
        }
    }
}
