import ArgumentParser
import WardAccounts
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts delete`.
struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account with its passkeys, password and sessions."
    )

    @Argument(help: "The user name.")
    var name: String

    @Flag(help: "Delete it. It cannot be undone.")
    var yes = false

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (mayDelete, now) = (yes, Effects.live.now())
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                guard mayDelete else {
                    throw SettingsError(
                        "nothing is deleted yet. Look at the account with ward-server accounts show, then add --yes."
                    )
                }
                try tx.deleteAccount(id: account.id)
                try tx.append(AuditEvent(.accountDeleted, at: now, by: .operator, of: account.id))
                return account.username.text
            }
            options.show(["deleted": .string(username)], ["The account \(ShownText.clean(username)) is deleted."])
        }
    }
}
