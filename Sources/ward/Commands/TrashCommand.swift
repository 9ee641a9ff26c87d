import ArgumentParser
import Foundation
import WardAgentClient

/// What was removed and can still come back.
struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List the trash, or empty it.",
        discussion: """
            Items leave the trash by themselves after 30 days. Days count when the vault's log shows that they passed, at most \
            three for each pause between changes, so a clock that is wrong for a day removes nothing.
            """,
        subcommands: [List.self, Empty.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what is in the trash.")

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
                Output.lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
            }
        }
    }

    struct Empty: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove for good all that is in the trash.")

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
}

/// A question before something that cannot be undone.
enum Confirmation {
    /// Returns when the person agrees, or agreed on the command line.
    ///
    /// - Throws: ``Failure`` with `denied` for a no, with `usage` when nobody can be asked.
    static func ask(_ question: String, isGiven: Bool, _ options: AgentOptions) throws {
        if isGiven { return }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "Cannot ask for confirmation here: add --yes")
        }
        guard try Question.confirm(question) else { throw Failure(.denied, "Nothing was changed") }
    }
}
