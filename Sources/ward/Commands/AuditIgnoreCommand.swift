import ArgumentParser
import WardAgentClient

/// Ignores problems of an item.
struct AuditIgnoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ignore",
        abstract: "Ignore the security problems of an item.",
        discussion: """
            The decision is kept in the vault. A weak, reused or leaked password is ignored until the password changes.
            """
    )

    @OptionGroup var options: AgentOptions
    @Option(help: ArgumentHelp("Only this kind of problem, see ward audit --help. Repeat for more.", valueName: "kind"))
    var kind: [String] = []
    @Flag(help: "Show the problems again.")
    var undo = false
    @OptionGroup var item: ItemArgument

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let result = try await item.pick(options, authorization, agent) {
                try await agent.call(
                    IgnoreFindings(authorization: authorization, item: $0, kinds: kind, isIgnored: !undo)
                )
            }
            if options.json { return try Output.json(result) }
            let kinds = result.kinds.joined(separator: ", ")
            guard !kinds.isEmpty else { return Terminal.note("Nothing to change: \(result.item.title).") }
            Output.lines(["\(undo ? "Shown again" : "Ignored") for \(result.item.title): \(kinds)."])
        }
    }
}
