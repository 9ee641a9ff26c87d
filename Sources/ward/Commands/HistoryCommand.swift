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
    @OptionGroup var item: ItemArgument

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let history = try await item.pick(options, authorization, agent, from: .all) {
                try await agent.call(ItemHistory(authorization: authorization, item: $0))
            }
            if options.json { return try Output.json(history) }
            var table = Table([
                .init(heading: "Revision", shrinks: false), .init(heading: "When", shrinks: false),
                .init(heading: "What", shrinks: false), .init(heading: "Title"),
                .init(heading: "Device"),
            ])
            let numbers = Dictionary(grouping: history.revisions, by: \.number)
            for revision in history.revisions {
                // Devices that change an item at the same time give their revisions the same number.
                let isAlone = numbers[revision.number]?.count == 1
                table.add([
                    "\(revision.number)" + (isAlone ? "" : " \(revision.id.prefix(8))"), When.minute(revision.time),
                    revision.change ?? "no longer kept",
                    revision.title ?? "", DeviceText.name(revision.deviceName, revision.device),
                ])
            }
            Output.table(table)
        }
    }
}
