import ArgumentParser
import WardAgentClient

/// Lists the security problems.
struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the security problems of all items, or of some.",
        discussion: """
            A password is weak if it can be guessed with fewer than 2^40 tries. The title, the site and the user name count as \
            known to the attacker. Sites that share their accounts count as one site: see ward update-data.

            The exit status is 11 if there are problems. Problems that you ignore do not count.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Show the problems that you ignore too.")
    var showIgnored = false
    @Argument(
        help: ArgumentHelp("Only these items: title, words or ID.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var items: [String] = []

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let result = try await agent.call(AuditVault(authorization: authorization, items: items))
            let report = AuditReport(result, showIgnored: showIgnored)
            if options.json { try Output.json(report.json) } else { report.print() }
            if report.hasProblems { throw ExitCode(AuditReport.problemsFound) }
        }
    }
}
