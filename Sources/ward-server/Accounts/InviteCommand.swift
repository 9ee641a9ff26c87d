import ArgumentParser
import Configuration
import Foundation
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

    @Option(
        help: ArgumentHelp("The origin of the link (default: the service's first origin).", valueName: "origin")
    )
    var origin: String?

    @OptionGroup var options: AccountsOptions

    private static let longest: Int64 = 90 * 86_400

    func run() async throws {
        try await options.withStore { store in
            let server = try await settings(of: store)
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard (60...Self.longest).contains(seconds) else {
                throw SettingsError("--expires-in: an invitation lasts 60s to 90d, not \(expiresIn)")
            }
            try server.validate()
            let effects = Effects.live
            let token = InvitationToken.random(using: effects.randomBytes)
            let now = effects.now()
            let invitation = Invitation(tokenHash: token.hash, createdAt: now, expiresAt: now + seconds)
            try await store.write { try $0.insert(invitation) }
            let link = "\(server.origins.first ?? "")/#invitation=\(token.text)"
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

    /// The settings of the service: the database knows its RP ID, which decides the default origin.
    private func settings(of store: SQLiteAccountStore) async throws -> ServerConfiguration {
        var values = options.store.values
        if let rpID = try await store.read({ try $0.secret(named: "rp-id") }) {
            values[Setting.rpID.absoluteKey] = ConfigValue(
                .string(String(decoding: rpID, as: UTF8.self)),
                isSecret: false
            )
        }
        values[Setting.origin.absoluteKey] = origin.map { ConfigValue(.stringArray([$0]), isSecret: false) }
        return try await ServeSettings(values).server
    }
}
