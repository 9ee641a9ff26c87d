import ArgumentParser
import Configuration
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
            a vault. The service may run at the same time.
            """
    )

    @Option(help: ArgumentHelp("How long the token works, 60s to 90d.", valueName: "duration"))
    var expiresIn = "7d"

    @Option(help: .syncDatabase) var syncDatabase: String?
    @OptionGroup var options: DatabaseOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let seconds: Int64
            do { seconds = try Duration(settingText: expiresIn).components.seconds } catch {
                throw SettingsError("--expires-in: \(error)")
            }
            guard OperatorActions.invitationLifetimes.contains(seconds) else {
                throw SettingsError("--expires-in: a token works 60s to 90d, not \(expiresIn)")
            }
            var values = options.values
            values.set(.syncDatabase, syncDatabase)
            let reader = try await SettingsReader(values)
            let beside = try await reader.string(.database) ?? ServeSettings.usualDatabase
            let path = try await SyncSettings.database(reader, beside: beside)
            guard path != ServeSettings.memory else {
                throw SettingsError("--sync-database: a database in memory has no file; give the path of a database")
            }
            try prepareDirectory(of: path)
            try PrivateFiles.check(database: path)
            let store = try SQLiteSyncStore(path: path)
            let now = Effects.live.now()
            guard let token = SyncToken(Effects.live.randomBytes(SyncToken.byteCount)) else { return }
            let invitation = SyncInvitation(token: token.hash, createdAt: now, expiresAt: now + seconds)
            try await store.add(invitation)
            try await store.close()
            if json {
                let end = JSONTime.text(invitation.expiresAt)
                try answer(
                    JSONValue.object([.init("token", .string(token.text)), .init("expiresAt", .string(end))]).text
                )
            } else {
                try answer(token.text)
            }
        }
    }
}
