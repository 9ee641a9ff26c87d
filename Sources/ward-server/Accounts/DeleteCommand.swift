import ArgumentParser
import WardAccounts
import WardServer
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

    @Flag(help: "Delete the account. This cannot be undone.")
    var yes = false

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let mayDelete = yes
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                guard mayDelete else {
                    throw SettingsError(
                        "the account was not deleted. Check it with ward-server accounts show, then add --yes."
                    )
                }
                try await OperatorActions(effects: .live).delete(account.id, in: tx)
                return account.username.text
            }
            try options.show(["deleted": .string(username)], ["The account \(ShownText.clean(username)) is deleted."])
        }
    }
}
