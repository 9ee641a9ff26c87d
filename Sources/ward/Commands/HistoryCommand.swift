import ArgumentParser
import Foundation
import WardAgentClient

/// Shows the revisions of an item.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the revisions of an item, latest first."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"))
    var item: [String]

    func run() async throws {
        let method = ItemHistory(authorization: try options.authorization(), item: item.joined(separator: " "))
        try await options.withAgent { agent in
            let history = try await agent.call(method)
            if options.json { return try Output.json(history) }
            var table = Table([
                .init(heading: "Revision", shrinks: false), .init(heading: "When", shrinks: false),
                .init(heading: "What", shrinks: false), .init(heading: "Title"),
                .init(heading: "Device", shrinks: false),
            ])
            for revision in history.revisions {
                table.add([
                    "\(revision.number)", When.minute(revision.time), revision.change ?? "no longer kept",
                    revision.title ?? "", String(revision.device.prefix(8)),
                ])
            }
            Output.lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
        }
    }
}
