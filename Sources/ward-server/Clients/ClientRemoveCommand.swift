import ArgumentParser
import WardAccounts
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server clients remove`.
struct ClientRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a client.",
        discussion: "All its tokens end at once. What people allowed it is forgotten."
    )

    @Argument(help: "The client's ID.")
    var id: String

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (id, now) = (id, Effects.live.now())
            try await store.write { tx in
                let client = try tx.client(typed: id)
                try tx.deleteOAuthClient(id: client.id)
                try tx.append(AuditEvent(.clientChanged, at: now, by: .operator, of: nil))
            }
            options.show(["removed": .string(id)], ["The client \(id) is removed, and its tokens have ended."])
        }
    }
}
