import ArgumentParser
import WardAgentClient

/// Goes on without entries that are lost.
struct SyncRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Go on without newer entries of this device that are lost.",
        discussion: """
            After you restored an older copy of the vault, this device writes nothing until it has its newer entries again, which \
            come with a sync. Use this command only if no other device and no folder has them. If they show up later, this device \
            stops syncing, and must be added again.
            """
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        try await options.withAgent { agent in
            let state = try await owner.use { try await agent.call(RepairSync(passphrase: $0)) }
            if options.json { return try Output.json(state) }
            Output.lines(["This device goes on with the vault as it is."])
        }
    }
}
