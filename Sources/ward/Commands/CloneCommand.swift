import ArgumentParser
import WardAgentClient

/// Copies an item.
struct CloneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Add a copy of an item.",
        discussion: "The copy has no history, and no passkeys, because a passkey belongs to one item."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument
    @Option(help: ArgumentHelp("Title of the copy. Default: the item's title and “copy”.", valueName: "title"))
    var title: String?

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let copy = try await item.pick(options, authorization, agent) {
                try await agent.call(CloneItem(authorization: authorization, item: $0, title: title))
            }
            if options.json { return try Output.json(copy) }
            Output.lines(["Added \(Table.clean(copy.title)) [\(copy.id.prefix(8))]."])
        }
    }
}
