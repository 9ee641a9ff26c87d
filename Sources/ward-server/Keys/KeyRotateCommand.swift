import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardWebAuthn

/// `ward-server keys rotate`.
struct KeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the key that signs ID tokens.",
        discussion: """
            The new key is in the key set at once, and signs 15 minutes later, when every client has read it. The old key stays in \
            the key set until nothing that it signed is valid any more.

            With --now, the old keys leave the key set at once, and the new key signs from now on. Use it if somebody else may \
            have a copy of the database. Clients that keep the key set without reading it again refuse ID tokens for 15 minutes.
            """
    )

    @Flag(help: "End the old keys at once.")
    var now = false

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (isAtOnce, time) = (now, Effects.live.now())
            let key = try await store.write { tx in
                try await IDTokenKeys.rotate(atOnce: isAtOnce, at: time, in: tx)
            }
            options.show(key.json, ["The key \(key.id) signs from \(JSONTime.text(key.activeFrom))."])
        }
    }
}
