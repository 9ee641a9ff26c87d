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
            The link is for a person who lost every passkey. It works once, for one hour. A second link replaces the first. \
            The person must prove one more thing beside the link: the password, a code of the authenticator app or a recovery \
            code. Who can prove nothing waits (serve --recovery-wait) after a notice to the account's address, and can be \
            stopped. With --without-proof the link is enough. When the person uses it, all sessions of the account end, and the new passkey signs in. The other passkeys and \
            the password stay until the person removes them.

            Make sure that the request comes from the owner of the account. Send the link over a private channel, because \
            the first person who opens it gets the account.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @Flag(
        help:
            "The link alone is enough. Use it only for a person whom you see, because a thief of the link gets the account."
    )
    var withoutProof = false

    @OptionGroup var place: LinkOptions

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let server = try await place.settings(of: store, options.store)
            let (name, needsProof) = (name, !withoutProof)
            let (username, token, end) = try await store.write { tx in
                let account = try await tx.account(typed: name)
                guard account.disabledAt == nil else {
                    throw SettingsError(
                        "the account \(ShownText.clean(account.username.text)) is disabled. Enable it first: ward-server accounts "
                            + "enable"
                    )
                }
                let link = try await OperatorActions(effects: .live).makeRecoveryLink(
                    for: account.id,
                    needsProof: needsProof,
                    in: tx
                )
                return (account.username.text, link.token, JSONTime.text(link.expiresAt))
            }
            let link = ServiceLink.recovery.text(at: server.origins.first ?? "", token)
            try options.show(
                ["link": .string(link), "expiresAt": .string(end)],
                [
                    link,
                    "It adds one passkey to the account \(ShownText.clean(username)) until \(end)."
                        + (needsProof ? " It needs one more proof of the person, or a wait." : ""),
                ]
            )
        }
    }
}
