import ArgumentParser
import WardSyncStoreSQLite
import WardText

/// `ward-server sync withdraw`.
struct SyncWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw an invitation: its token brings no vault from then on."
    )

    @Argument(help: "The invitation's ID, as the list shows it.")
    var id: String

    @OptionGroup var options: SyncStoreOptions

    func run() async throws {
        try await options.withStore { store in
            try await store.withdraw(id)
            try options.show(["withdrawn": .string(id)], ["The invitation \(id) is withdrawn."])
        }
    }
}
