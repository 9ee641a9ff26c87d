import ArgumentParser
import WardServer
import WardSyncRecords
import WardSyncStoreSQLite
import WardText

/// `ward-server sync invitations`.
struct SyncInvitationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "List the invitations that nobody has used.",
        discussion:
            "With --json, each line is one invitation. The tokens are not shown: the database has only their hashes."
    )

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            for invitation in try await store.invitations() {
                let times = [
                    invitation.id, "since \(JSONTime.text(invitation.createdAt))",
                    "until \(JSONTime.text(invitation.expiresAt))",
                ]
                try options.show(.object(invitation.members), [times.joined(separator: "\t")])
            }
        }
    }
}
