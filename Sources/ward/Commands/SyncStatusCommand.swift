import ArgumentParser
import WardAgentClient

/// Shows the state of the sync.
struct SyncStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the vault is synced, and what needs you.",
        discussion: "The exit status is \(SyncText.needsPerson) if something needs you, and 3 if the vault is locked."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        try await options.withAgent { agent in
            let state = try await agent.call(SyncStatus())
            if options.json {
                try Output.json(state)
            } else {
                Output.lines(SyncText.lines(state, Paint(isOn: Paint.isWanted)).map(CommandHints.here))
            }
            if state.isLocked, SyncText.joins(state) == nil { throw ExitCode(Failure.Status.locked.rawValue) }
            if state.needs != nil { throw ExitCode(SyncText.needsPerson) }
        }
    }
}
