import ArgumentParser
import WardAgentClient

/// Shows the words that two devices with the same entries have.
struct SyncCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Show eight words that are the same on all devices with the same entries.",
        discussion: """
            A server or a folder can keep entries from one of your devices, and that device alone cannot see it. Run this \
            command on two devices, and compare the words.
            """
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let found = try await agent.call(CompareSync(authorization: authorization))
            if options.json { return try Output.json(found) }
            let paint = Paint(isOn: Paint.isWanted)
            Output.lines([
                paint.bold(found.words.joined(separator: " ")),
                "\(SyncText.number(found.entries, "entry", "entries")), the newest from \(When.minute(found.newest))",
            ])
            Terminal.note(
                "The same words on the other device: it has the same entries. Other words: run ward sync now on"
            )
            Terminal.note("both, and compare again. If they still differ, entries do not reach one of the devices.")
        }
    }
}
