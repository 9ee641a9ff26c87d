import ArgumentParser
import WardAgentClient

/// Syncs at once.
struct SyncNowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Sync now, and wait until it is done."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.vault().existing().withAgentThatSyncs(isQuiet: options.json) { agent, sync in
            let done = try await sync.during { try await agent.call(SyncNow(authorization: authorization)) }
            if options.json { return try Output.json(done) }
            let came = "\(SyncText.number(done.taken, "entry", "entries")) came"
            let items = done.items > 0 ? " (\(SyncText.number(done.items, "item", "items")))" : ""
            var lines = [
                "Synced: \(came)\(items), \(SyncText.number(done.written, "entry was", "entries were")) written."
            ]
            if let count = done.broughtBack {
                lines.append(
                    "The server had lost \(SyncText.number(count, "entry", "entries")): this device brought them back."
                )
            }
            Output.lines(lines)
            for notice in SyncText.notices(done.state) { Terminal.note("Warning: \(notice)") }
        }
    }
}
