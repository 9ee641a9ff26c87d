import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server keys rotate`.
struct KeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the keys that sign ID tokens.",
        discussion: """
            The service does this itself each 90 days (ward-server serve --key-rotation).

            There is a key for each algorithm. The new keys are in the key set at once, and sign 15 minutes later, when every \
            client has read them. The old keys stay in the key set until nothing that they signed is valid any more.

            With --now, the old keys leave the key set at once, and the new keys sign from now on. Use it if somebody else may \
            have a copy of the database. Clients that keep the key set without reading it again refuse ID tokens for 15 minutes.
            """
    )

    @Flag(help: "End the old keys at once.")
    var now = false

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (isAtOnce, time) = (now, Effects.live.now())
            let fresh = try IDTokenKeys([]).drawMissing()
            let keys = try await store.write { tx in
                try await IDTokenKeys.rotate(to: fresh, atOnce: isAtOnce, at: time, in: tx)
            }
            try options.show(
                .array(keys.map(\.json)),
                keys.map { "The key \($0.id) (\($0.algorithm.rawValue)) signs from \(JSONTime.text($0.activeFrom))." }
            )
        }
    }
}
