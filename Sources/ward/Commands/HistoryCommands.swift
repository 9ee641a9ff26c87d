import ArgumentParser
import Foundation
import WardAgentClient

/// Takes something out.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Put an item into the trash, from where ward restore brings it back.",
        discussion: """
            With --for-good, ITEM is the exact title, or the first eight characters of the item ID or more, and you are asked \
            for confirmation.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Which item.", valueName: "item"))
    var item: [String]
    @Flag(help: "Remove it for good, with its history.")
    var forGood = false
    @Flag(help: "With --for-good: do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            var meant = item.joined(separator: " ")
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
            let method = RemoveItem(authorization: authorization, item: meant, forGood: forGood)
            let removed = try await agent.call(method)
            if options.json { return try Output.json(removed) }
            let title = Table.clean(removed.title)
            Output.lines([
                forGood
                    ? "Removed \(title) for good."
                    : "\(title) is in the trash. ward restore \(removed.id.prefix(8)) brings it back."
            ])
        }
    }
}

/// What happened to an item.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the states of an item, latest first."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Which item.", valueName: "item"))
    var item: [String]

    func run() async throws {
        let method = ItemHistory(authorization: try options.authorization(), item: item.joined(separator: " "))
        try await options.withAgent { agent in
            let history = try await agent.call(method)
            if options.json { return try Output.json(history) }
            var table = Table([
                .init(heading: "State", shrinks: false), .init(heading: "When", shrinks: false),
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

/// The log under everything.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "The vault's signed log.",
        subcommands: [Verify.self]
    )

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check every entry: signatures, the chain, and every sealed state."
        )

        @OptionGroup var options: AgentOptions

        func run() async throws {
            let method = VerifyLog(authorization: try options.authorization())
            let isSlow = isatty(STDERR_FILENO) == 1 && !options.json
            try await options.withAgent { agent in
                if isSlow { Terminal.note("Checking… ", end: "") }
                let report = try await agent.call(method)
                if isSlow { Terminal.note("done.") }
                if options.json { return try Output.json(report) }
                let paint = Paint(isOn: Paint.isWanted)
                Output.lines([
                    paint.green("✓ ")
                        + "\(report.entries) entries by \(report.devices.count) device(s), signed and in their places",
                    paint.green("✓ ") + "\(report.revisions - report.cleared) states of items, each opened"
                        + (report.cleared > 0 ? "; \(report.cleared) no longer kept" : "")
                        + (report.purged > 0 ? "; \(report.purged) items removed for good" : ""),
                ])
            }
        }
    }
}
