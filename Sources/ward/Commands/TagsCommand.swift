import ArgumentParser
import WardAgentClient

/// Lists tags.
struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "List the tags, and show how many items have each tag.",
        discussion: "ward list --tag TAG lists the items of a tag."
    )

    @OptionGroup var options: AgentOptions

    private struct Tag: Encodable {
        let tag: String
        let items: Int
    }

    func run() async throws {
        let method = ListItems(authorization: try options.authorization())
        try await options.withAgent { agent in
            let names = try await agent.call(method).items.flatMap(\.tags)
            let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
            let tags = counts.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
                .map { Tag(tag: $0.key, items: $0.value) }
            if options.json { return try Output.json(tags) }
            guard !tags.isEmpty else { return Terminal.note("There are no tags. Add one: ward edit ITEM --tag TAG") }
            var table = Table([.init(heading: "Tag"), .init(heading: "Items", shrinks: false)])
            for tag in tags { table.add([tag.tag, "\(tag.items)"]) }
            Output.table(table)
        }
    }
}
