import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts disable`.
struct DisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account: nobody can sign in to it until it is enabled again.",
        discussion: """
            The account's sessions end at once, and no passkey, password or recovery link signs in to it. Nothing is \
            deleted. Only a person with the right passkey or password learns that the account is disabled.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let name = name
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                try await OperatorActions(effects: .live).disable(account.id, in: tx)
                return account.username.text
            }
            try options.show(
                ["disabled": .string(username)],
                ["The account \(ShownText.clean(username)) is disabled, and its sessions have ended."]
            )
        }
    }
}
