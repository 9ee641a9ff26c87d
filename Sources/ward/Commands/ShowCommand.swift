import ArgumentParser
import Foundation
import WardAgentClient

/// Shows an item.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an item. Secrets are shown only with --reveal, --field or --copy.",
        discussion:
            "ITEM is a title, words that match exactly one item, or the first characters of its ID. In a pipe each line has a name, a value and a remark, separated by tabs."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument
    @Flag(help: "Show passwords, hidden fields and notes.")
    var reveal = false
    @Option(
        help: ArgumentHelp(
            "Print only one value: password, username, notes, otpauth, title, site, id, or the label of a field; repeatable.",
            valueName: "name"
        )
    )
    var field: [String] = []
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

    func validate() throws {
        guard !(copy && field.count > 1) else { throw ValidationError("Use --copy with only one --field.") }
        guard !(copy && options.json) else { throw ValidationError("Use only one of --copy and --json.") }
    }

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let record = try await item.pick(options, authorization, agent, from: .all) {
                try await agent.call(
                    GetItem(
                        authorization: authorization,
                        item: $0,
                        reveal: reveal || copy || !field.isEmpty,
                        revision: revision
                    )
                )
            }
            guard !copy, field.isEmpty else { return try giveOut(record) }
            if options.json { return try Output.json(record) }
            guard isatty(STDOUT_FILENO) == 1 else {
                Output.table(ItemText.table(record))
                return ItemText.advice(record).forEach { Terminal.note($0) }
            }
            Output.lines(ItemText.lines(record, paint: Paint(isOn: Paint.isWanted)))
        }
    }

    /// Prints or copies single values.
    private func giveOut(_ record: ItemRecord) throws {
        let names = field.isEmpty ? ["password"] : field
        let values = try names.map { name in
            guard let value = ItemText.value(name, of: record) else {
                throw Failure(
                    .missing,
                    "\(record.title) has no \(name). To see its values: ward show \(record.id.prefix(8))"
                )
            }
            return value
        }
        if copy { return try Clipboard.copy(values.first ?? "", what: names.first ?? "") }
        if options.json { return try Output.json(Dictionary(zip(names, values)) { first, _ in first }) }
        values.forEach { Output.value($0) }
    }
}
