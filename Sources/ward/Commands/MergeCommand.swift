import ArgumentParser
import WardAgentClient

/// Makes one entry of several items.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Make one entry of several items.",
        discussion: """
            The first item gets the passkeys, codes, sites, notes, fields, tags and attached files of the others. The newest \
            password is the current one, and the others go to its history. Then the other items go to the trash.

            Without --apply, ward shows what would happen and changes nothing. On a terminal it then asks. --undo undoes the \
            latest merge of the last 30 days.

            Without items, ward lists the accounts that have several items, such as those that another device or an import \
            brought, and on a terminal asks about each.

            ward merge "GitHub" "GitHub passkey"
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp(
            "Title, words or ID of an item. Put a title with spaces in quotation marks.",
            valueName: "item"
        ),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var items: [String] = []
    @Flag(help: "Merge or undo, without a question.")
    var apply = false
    @Flag(help: "Undo the latest merge.")
    var undo = false
    @OptionGroup var undoing: UndoOptions

    func validate() throws {
        guard items.isEmpty || (!undo && items.count >= 2) else {
            throw ValidationError(undo ? "--undo takes no items." : "Name two items or more.")
        }
        guard undo || !apply || !items.isEmpty else { throw ValidationError("--apply needs the items, or --undo.") }
        guard undo || !undoing.includeChanged else { throw ValidationError("--include-changed needs --undo.") }
    }

    func run() async throws {
        if undo {
            let run = UndoRun(
                kind: "merge",
                options: options,
                apply: apply,
                includesChanged: undoing.includeChanged
            )
            return try await run.run()
        }
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            if items.isEmpty { return try await MergeOffers(options: options).run(authorization, agent) }
            var ids: [String] = []
            for item in items {
                let found = try await ItemPicker.pick(item, options, authorization, agent, from: .items) {
                    try await agent.call(GetItem(authorization: authorization, item: $0, reveal: false))
                }
                ids.append(found.id)
            }
            var method = MergeItems(authorization: authorization, items: ids, apply: apply)
            var merged = try await agent.call(method)
            if options.json { return try Output.json(merged) }
            if !apply {
                Output.lines(Self.lines(merged))
                guard Terminal.isInteractive, !options.noPrompt else {
                    let words = ids.map { String($0.prefix(8)) }.joined(separator: " ")
                    let hint = "Nothing was changed. To merge: ward merge \(words) --apply"
                    return Output.lines([CommandHints.here(hint)])
                }
                guard try Question.confirm("Make one entry of these items?") else {
                    throw Failure(.denied, "Nothing was changed")
                }
                method.apply = true
                merged = try await agent.call(method)
            }
            let others = merged.others.count == 1 ? "The other item is" : "The other \(merged.others.count) items are"
            Output.lines([
                CommandHints.here(
                    "\(Self.name(merged.item)) has everything. \(others) in the trash. To undo: ward merge --undo"
                )
            ])
        }
    }

    static func lines(_ merged: MergeItems.Result) -> [String] {
        var lines = ["One entry: \(name(merged.item))"]
        let parts = [
            ("password", "current password", "current passwords"),
            ("earlierPasswords", "earlier password", "earlier passwords"), ("passkeys", "passkey", "passkeys"),
            ("codes", "verification code", "verification codes"), ("sites", "site", "sites"),
            ("notes", "note", "notes"), ("fields", "field", "fields"),
            ("attachments", "attached file", "attached files"),
            ("tags", "tag", "tags"),
        ]
        for (part, one, many) in parts {
            guard let count = merged.gains[part] else { continue }
            lines.append("    + \(count) \(count == 1 ? one : many)")
        }
        if merged.gains.isEmpty { lines.append("    has everything of the others already") }
        lines.append("To the trash:")
        lines += merged.others.map { "    \(name($0))" }
        return lines + [""]
    }

    static func name(_ item: SummaryRecord) -> String {
        let user = item.username.isEmpty ? "" : " (\(Table.clean(item.username)))"
        return "\(Table.clean(item.title))\(user) [\(item.id.prefix(8))]"
    }
}
