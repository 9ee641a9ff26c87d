import ArgumentParser
import Foundation
import WardAgentClient

/// Empties the trash.
struct TrashEmptyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "empty",
        abstract: "Remove all items of the trash for good."
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let list = ListItems(authorization: authorization, inTrash: true)
            let count = try await agent.call(list).items.count
            if count > 0 {
                let what = count == 1 ? "1 item" : "\(count) items"
                try Confirmation.ask("Remove \(what) for good, with all revisions?", isGiven: yes, options)
            }
            let emptied = try await agent.call(EmptyTrash(authorization: authorization))
            if options.json { return try Output.json(emptied) }
            Output.lines([
                emptied.removed == 1 ? "Removed 1 item for good." : "Removed \(emptied.removed) items for good."
            ])
        }
    }
}
