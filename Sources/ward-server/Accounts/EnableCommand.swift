import ArgumentParser
import WardAccounts
import WardServer
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
            let name = name
            let username = try await store.write { tx in
                let account = try await tx.account(typed: name)
                try await OperatorActions(effects: .live).enable(account.id, in: tx)
                return account.username.text
            }
            try options.show(
                ["enabled": .string(username)],
                ["The account \(ShownText.clean(username)) is enabled. Its passkeys and its password sign in again."]
            )
        }
    }
}
