import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts email`.
struct EmailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "email",
        abstract: "Set or remove the e-mail address of an account.",
        discussion: """
            The address counts as confirmed, so make sure that it belongs to the person. It gets messages about the account, and \
            does not sign in. The address from before is told that messages no longer go there.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @Argument(help: "The new address, such as ada@example.com.")
    var address: String?

    @Flag(help: "Remove the address.")
    var remove = false

    @OptionGroup var options: AccountsOptions

    func validate() throws {
        guard (address == nil) == remove else { throw ValidationError("Give an address, or --remove.") }
    }

    func run() async throws {
        try await options.withStore { store in
            let (name, address) = (name, try parsed())
            let (username, hasChanged) = try await store.write { tx in
                let account = try await tx.account(typed: name)
                let hasChanged = try await OperatorActions(effects: .live).setEmail(address, of: account, in: tx)
                return (account.username.text, hasChanged)
            }
            let shown = ShownText.clean(username)
            let line =
                if let address {
                    "Messages about the account \(shown) go to \(address)."
                } else {
                    hasChanged
                        ? "The account \(shown) has no e-mail address any more."
                        : "The account \(shown) has no e-mail address."
                }
            let json: JSONValue = [
                "username": .string(username), "email": address.map { .string($0.text) } ?? .null,
                "changed": .bool(hasChanged),
            ]
            try options.show(json, [line])
        }
    }

    private func parsed() throws -> EmailAddress? {
        guard let address else { return nil }
        do {
            return try EmailAddress(address)
        } catch { throw SettingsError(error.description) }
    }
}
