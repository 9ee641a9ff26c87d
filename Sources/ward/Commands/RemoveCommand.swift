import ArgumentParser
import Foundation
import WardAgentClient

/// Removes an item.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Put an item into the trash. ward restore brings it back.",
        discussion: """
            With --for-good, ITEM is the exact title, or the first eight characters of the item ID or more, and you are asked \
            for confirmation.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument
    @Flag(help: "Remove the item and its history for good.")
    var forGood = false
    @Flag(help: "With --for-good: do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            var meant = item.words
            if forGood {
                let found = try await agent.call(FindItem(authorization: authorization, item: meant))
                let who = found.username.isEmpty ? "" : " (\(found.username))"
                try Confirmation.ask(
                    "Remove “\(Table.clean(found.title + who))” [\(found.id.prefix(8))] for good, with all revisions?",
                    isGiven: yes,
                    options
                )
                meant = found.id
            }
            let removed: SummaryRecord
            if forGood {
                removed = try await agent.call(RemoveItem(authorization: authorization, item: meant, forGood: true))
            } else {
                removed = try await item.pick(options, authorization, agent) {
                    try await agent.call(RemoveItem(authorization: authorization, item: $0))
                }
            }
            if options.json { return try Output.json(removed) }
            let title = Table.clean(removed.title)
            Output.lines([
                forGood
                    ? "Removed \(title) for good."
                    : CommandHints.here(
                        "\(title) is in the trash. ward restore \(removed.id.prefix(8)) brings it back."
                    )
            ])
        }
    }
}
