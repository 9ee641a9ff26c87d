import ArgumentParser
import Foundation
import WardAgentClient

struct TrashListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the trash.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let method = ListItems(authorization: try options.authorization(), inTrash: true)
        try await options.withAgent { agent in
            let items = try await agent.call(method).items
            if options.json { return try Output.json(items) }
            guard !items.isEmpty else { return Terminal.note("The trash is empty.") }
            var table = Table([
                .init(heading: "Title"), .init(heading: "User name"),
                .init(heading: "In the trash since", shrinks: false), .init(heading: "ID", shrinks: false),
            ])
            for item in items {
                table.add([
                    item.title, item.username, item.deletedAt.map { When.minute($0) } ?? "",
                    String(item.id.prefix(8)),
                ])
            }
            Output.table(table)
        }
    }
}
