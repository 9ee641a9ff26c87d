import ArgumentParser
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server accounts invite`.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Print a link that creates one account.",
        discussion: """
            The link works once. Send it to one person over a private channel, because the first person who opens it gets \
            the account. People need such a link if the service runs with --registration invite.
            """
    )

    @Option(help: ArgumentHelp("How long the link works, up to 90d.", valueName: "duration"))
    var expiresIn = "7d"

    @OptionGroup var place: LinkOptions

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let server = try await place.settings(of: store, options.store)
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard OperatorActions.invitationLifetimes.contains(seconds) else {
                throw SettingsError("--expires-in: an invitation lasts 60s to 90d, not \(expiresIn)")
            }
            let (token, expiresAt) = try await store.write { tx in
                try await OperatorActions(effects: .live).makeInvitation(lasting: seconds, in: tx)
            }
            let link = ServiceLink.invitation.text(at: server.origins.first ?? "", token)
            let end = JSONTime.text(expiresAt)
            try options.show(
                ["link": .string(link), "expiresAt": .string(end)],
                [link, "It creates one account until \(end)."]
            )
            if server.registration == .open {
                warn("the settings here have --registration open: everybody can create an account without the link")
            }
        }
    }
}
