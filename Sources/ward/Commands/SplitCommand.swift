import ArgumentParser
import WardAgentClient

/// Moves a part of an item into an item of its own.
struct SplitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Move the passkeys, the codes or the password of an item into an item of their own.",
        discussion: """
            The new item has the same title, sites and tags. Without --apply, ward shows what would happen and changes nothing. \
            On a terminal it then asks. --undo undoes the latest split of the last 30 days.

            ward split GitHub --part passkeys
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var item: [String] = []
    @Option(
        help: ArgumentHelp(
            "Part to move: passkeys, codes or password. Default: the passkeys, or the codes if there are none.",
            valueName: "part"
        ),
        completion: .list(Self.parts)
    )
    var part: String?
    @Flag(help: "Split or undo, without a question.")
    var apply = false
    @Flag(help: "Undo the latest split.")
    var undo = false
    @OptionGroup var undoing: UndoOptions

    private static let parts = ["passkeys", "codes", "password"]

    func validate() throws {
        guard item.isEmpty == undo else {
            throw ValidationError(undo ? "--undo takes no item." : "Name an item.")
        }
        guard undo || !undoing.includeChanged else { throw ValidationError("--include-changed needs --undo.") }
        guard part.map(Self.parts.contains) ?? true else {
            throw ValidationError("--part is passkeys, codes or password.")
        }
        guard !undo || part == nil else { throw ValidationError("--undo takes no --part.") }
    }

    func run() async throws {
        if undo {
            let run = UndoRun(
                kind: "split",
                options: options,
                apply: apply,
                includesChanged: undoing.includeChanged
            )
            return try await run.run()
        }
        let authorization = try options.authorization()
        let words = item.joined(separator: " ")
        try await options.withAgent { agent in
            var split = try await ItemPicker.pick(words, options, authorization, agent, from: .items) {
                try await agent.call(SplitItem(authorization: authorization, item: $0, part: part, apply: apply))
            }
            if options.json { return try Output.json(split) }
            if !apply {
                let id = split.item.id
                Output.lines([moved(split, "go to a new item")])
                guard Terminal.isInteractive, !options.noPrompt else {
                    let hint = "To split: ward split \(id.prefix(8)) --part \(split.part) --apply"
                    return Output.lines(["Nothing was changed. " + CommandHints.here(hint)])
                }
                guard try Question.confirm("Move this part to a new item?") else {
                    throw Failure(.denied, "Nothing was changed")
                }
                split = try await agent.call(
                    SplitItem(authorization: authorization, item: id, part: split.part, apply: true)
                )
            }
            let place = "are in a new item [\(split.new?.prefix(8) ?? "")]"
            Output.lines([moved(split, place) + CommandHints.here(" To undo: ward split --undo")])
        }
    }

    /// What moves, and the place.
    private func moved(_ split: SplitItem.Result, _ place: String) -> String {
        let subject =
            switch split.part {
            case "password": "The password and its history"
            case "codes": split.count == 1 ? "The secret of 1 code" : "The secrets of \(split.count) codes"
            default: "Passkeys (\(split.count))"
            }
        let verb = split.part == "codes" && split.count == 1 ? Self.singular(place) : place
        let user = split.username.isEmpty ? "" : ", user name \(Table.clean(split.username))"
        return "\(subject) of \(Table.clean(split.item.title)) \(verb)\(user)."
    }

    private static func singular(_ place: String) -> String {
        place.hasPrefix("are ") ? "is " + place.dropFirst(4) : "goes " + place.dropFirst(3)
    }
}
