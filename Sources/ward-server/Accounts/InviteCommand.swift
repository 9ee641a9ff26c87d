import ArgumentParser
import WardAccounts
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
            The link works once. Send it to one person over a private channel: the first person who opens it gets the \
            account. It is needed where the service runs with --registration invite.
            """
    )

    @Option(help: ArgumentHelp("How long the link works, up to 90d.", valueName: "duration"))
    var expiresIn = "7d"

    @OptionGroup var place: LinkOptions

    @OptionGroup var options: AccountsOptions

    private static let longest: Int64 = 90 * 86_400

    func run() async throws {
        try await options.withStore { store in
            let server = try await place.settings(of: store, options.store)
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard (60...Self.longest).contains(seconds) else {
                throw SettingsError("--expires-in: an invitation lasts 60s to 90d, not \(expiresIn)")
            }
            let effects = Effects.live
            let token = LinkToken.random(using: effects.randomBytes)
            let now = effects.now()
            let invitation = Invitation(tokenHash: token.hash, createdAt: now, expiresAt: now + seconds)
            try await store.write { tx in
                try tx.insert(invitation)
                try tx.append(AuditEvent(.invitationMade, at: now, by: .operator, of: nil))
            }
            let link = LinkOptions.link(server, "/#invitation=", token)
            let end = JSONTime.text(invitation.expiresAt)
            options.show(
                ["link": .string(link), "expiresAt": .string(end)],
                [link, "It creates one account until \(end)."]
            )
            if server.registration == .open {
                warn("the settings here have --registration open: everybody can create an account without the link")
            }
        }
    }
}
