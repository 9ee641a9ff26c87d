import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts recovery-link`.
struct RecoveryLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-link",
        abstract: "Print a link that adds one passkey to an account.",
        discussion: """
            For a person who lost every passkey. The link works once, for one hour; a second link replaces the first. \
            When it is used, all sessions of the account end, and the new passkey opens the account. The other passkeys \
            and the password stay until the person removes them.

            Make sure that the right person asks, and send the link over a private channel: the first person who opens it gets \
            the account.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @OptionGroup var place: LinkOptions

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let server = try await place.settings(of: store, options.store)
            let effects = Effects.live
            let token = LinkToken.random(using: effects.randomBytes)
            let now = effects.now()
            let name = name
            let (username, end) = try await store.write { tx in
                let account = try await tx.account(typed: name)
                guard account.disabledAt == nil else {
                    throw SettingsError(
                        "the account \(ShownText.clean(account.username.text)) is disabled. Enable it first: ward-server accounts "
                            + "enable"
                    )
                }
                let link = RecoveryLink(
                    accountID: account.id,
                    tokenHash: token.hash,
                    createdAt: now,
                    expiresAt: now + RecoveryLink.lifetime
                )
                try tx.setRecoveryLink(link)
                try tx.append(AuditEvent(.recoveryLinkMade, at: now, by: .operator, of: account.id))
                return (account.username.text, JSONTime.text(link.expiresAt))
            }
            let link = LinkOptions.link(server, "/recover#recovery=", token)
            options.show(
                ["link": .string(link), "expiresAt": .string(end)],
                [link, "It adds one passkey to the account \(ShownText.clean(username)) until \(end)."]
            )
        }
    }
}
