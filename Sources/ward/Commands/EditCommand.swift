import ArgumentParser
import WardAgentClient

/// Changes an item.
struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change an item. The earlier revision stays in the history.",
        discussion: """
            Without an option for a change, ward asks for each value. With --editor, it opens all values in your editor.

            ward edit Example --username bob --generate --tag work
            ward edit Example --editor

            Two devices can change the same value before they are synchronised. The item then shows the later value, and \
            ward show lists the other value with a number. To use the other value: ward edit Example --take 0. To drop it: \
            ward edit Example --settle.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument
    @Flag(
        name: [.customShort("e"), .long],
        help:
            "Edit all values in $VISUAL or $EDITOR. The file is in memory, only you can read it, and ward wipes it afterwards."
    )
    var editor = false
    @Option(help: ArgumentHelp("New title.", valueName: "title"))
    var title: String?
    @OptionGroup var changes: ItemOptions
    @Option(help: ArgumentHelp("Site to remove; repeatable.", valueName: "address"))
    var removeSite: [String] = []
    @Option(help: ArgumentHelp("Tag to remove; repeatable.", valueName: "word"))
    var removeTag: [String] = []
    @Option(help: ArgumentHelp("Verification code to remove, counted from 0; repeatable.", valueName: "n"))
    var removeCode: [Int] = []
    @Option(help: ArgumentHelp("Field to remove; repeatable.", valueName: "label"))
    var removeField: [String] = []
    @Flag(help: "Remove the password.")
    var removePassword = false
    @Option(
        name: .customLong("take"),
        help: ArgumentHelp(
            "Replace a value with the value from another device. Give its number in ward show; repeatable.",
            valueName: "n"
        )
    )
    var takeConflicts: [Int] = []
    @Flag(help: "Keep the values that the item shows, and drop the values from other devices.")
    var settle = false

    private var namesAChange: Bool {
        title != nil || removePassword || settle || !(removeCode + takeConflicts).isEmpty
            || !(removeSite + removeTag + removeField).isEmpty
            || changes.namesAChange
    }

    func validate() throws {
        guard !(editor && namesAChange) else {
            throw ValidationError("--editor shows all values. Leave out the options that change a value.")
        }
    }

    func run() async throws {
        let authorization = try options.authorization()
        guard namesAChange else { return try await editByHand(authorization) }
        let change = try change()
        try await options.withAgent { agent in
            let before = try await read(reveal: false, authorization, agent)
            try report(
                try await agent.call(EditItem(authorization: authorization, item: before.id, change: change)),
                before
            )
        }
    }

    private func change() throws -> ItemChange {
        var change = try changes.change()
        change.title = title
        change.removeSites = removeSite
        change.removeTags = removeTag
        change.removeCodes = removeCode
        change.fields += removeField.map { .init(label: $0, value: nil) }
        if removePassword { change.password = "" }
        if !takeConflicts.isEmpty { change.takeConflicts = takeConflicts }
        if settle { change.settleConflicts = true }
        return change
    }

    /// Lets the person change the values in an editor or one by one.
    private func editByHand(_ authorization: Authorization) async throws {
        guard Terminal.isInteractive, !options.noPrompt else {
            throw Failure(.usage, "There is no terminal to ask on. Use options for the change: ward edit --help")
        }
        try await options.withAgent { agent in
            let before = try await read(reveal: true, authorization, agent)
            let draft = ItemDraft(before)
            let change = editor ? try Editor.edit(draft) : try draft.change(to: ItemQuestions.ask(draft))
            guard let change else { return try report(before, before) }
            try report(
                try await agent.call(EditItem(authorization: authorization, item: before.id, change: change)),
                before
            )
        }
    }

    private func read(reveal: Bool, _ authorization: Authorization, _ agent: AgentClient) async throws -> ItemRecord {
        try await item.pick(options, authorization, agent) {
            try await agent.call(GetItem(authorization: authorization, item: $0, reveal: reveal))
        }
    }

    private func report(_ edited: ItemRecord, _ before: ItemRecord) throws {
        if options.json { return try Output.json(edited) }
        let name = "\(Table.clean(edited.title)) [\(edited.id.prefix(8))]"
        Output.lines([edited.revision == before.revision ? "Nothing changed in \(name)." : "Changed \(name)."])
    }
}
