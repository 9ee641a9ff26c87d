import ArgumentParser
import WardAgentClient

/// Removes an attached file from an item.
struct AttachmentRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an attached file from an item. Earlier revisions still have it."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: OneItemArgument
    @Argument(help: ArgumentHelp("Name or ID of the attachment.", valueName: "attachment"))
    var attachment: String

    func run() async throws {
        let authorization = try options.authorization()
        var change = ItemChange()
        change.removeAttachments = [attachment]
        let removed = change
        try await options.withAgent { agent in
            let record = try await item.pick(options, authorization, agent) {
                try await agent.call(EditItem(authorization: authorization, item: $0, change: removed))
            }
            if options.json { return try Output.json(record) }
            let next = CommandHints.here("Earlier revisions have it: ward history \(record.id.prefix(8))")
            Output.lines(["Removed \(Table.clean(attachment)) from \(Table.clean(record.title)). \(next)"])
        }
    }
}
