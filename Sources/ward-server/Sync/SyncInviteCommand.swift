import ArgumentParser
import WardServer
import WardSyncRecords
import WardSyncStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server sync invite`.
struct SyncInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Print a token that brings one vault.",
        discussion: """
            The token works once. Send it to one person over a private channel, because the first person who uses it brings \
            a vault. It is shown once: the database has only its hash. Start ward-server serve --sync once before. The service may \
            run at the same time.
            """
    )

    @Option(help: ArgumentHelp("How long the token works, 60s to 90d.", valueName: "duration"))
    var expiresIn = "7d"

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard OperatorActions.invitationLifetimes.contains(seconds) else {
                throw SettingsError("--expires-in: a token works 60s to 90d, not \(expiresIn)")
            }
            let now = Effects.live.now()
            guard let token = SyncToken(Effects.live.randomBytes(SyncToken.byteCount)) else { return }
            let invitation = SyncInvitation(token: token.hash, createdAt: now, expiresAt: now + seconds)
            try await store.add(invitation)
            let json = JSONValue.object([.init("token", .string(token.text))] + invitation.members)
            try options.show(json, [token.text])
        }
    }
}

extension SyncInvitation {
    /// What JSON says of an invitation.
    var members: [JSONValue.Member] {
        [
            .init("id", .string(id)), .init("createdAt", .string(JSONTime.text(createdAt))),
            .init("expiresAt", .string(JSONTime.text(expiresAt))),
        ]
    }
}
