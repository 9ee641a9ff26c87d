import ArgumentParser
import WardServer
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
            let id = id
            try await store.write { tx in
                try await OperatorActions(effects: .live).remove(try tx.client(typed: id), in: tx)
            }
            try options.show(["removed": .string(id)], ["The client \(id) is removed, and its tokens have ended."])
        }
    }
}
