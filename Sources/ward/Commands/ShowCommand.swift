import ArgumentParser
import Foundation
import WardAgentClient

/// Shows an item.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an item; secrets only with --reveal, --field or --copy.",
        discussion: "ITEM is a title, words that match exactly one item, or the first characters of its ID."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"))
    var item: [String]
    @Flag(help: "Show passwords, hidden fields and notes.")
    var reveal = false
    @Option(
        help: ArgumentHelp(
            "Print only this: password, username, notes, otpauth, title, site, id, or the label of a field.",
            valueName: "name"
        )
    )
    var field: String?
    @Flag(
        help:
            "Copy the password, or the value of --field, to the clipboard for 45 seconds (WARD_CLIPBOARD_SECONDS)."
    )
    var copy = false
    @Option(
        help: ArgumentHelp(
            "A revision: its number, or the first characters of its ID.",
            valueName: "revision"
        )
    )
    var revision: String?

    func run() async throws {
        let method = GetItem(
            authorization: try options.authorization(),
            item: item.joined(separator: " "),
            reveal: reveal || copy || field != nil,
            revision: revision
        )
        try await options.withAgent { agent in
            let record = try await agent.call(method)
            if copy || field != nil {
                let name = field ?? "password"
                guard let value = ItemText.value(name, of: record) else {
                    throw Failure(.missing, "\(record.title) has no \(name)")
                }
                return copy ? try Clipboard.copy(value, what: name) : Output.value(value)
            }
            if options.json { return try Output.json(record) }
            Output.lines(ItemText.lines(record, paint: Paint(isOn: Paint.isWanted), reveal: reveal))
        }
    }
}
