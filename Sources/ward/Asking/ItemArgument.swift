import ArgumentParser
import WardAgentClient

/// Arguments that say which item a command is about.
protocol ItemWords: ParsableArguments {
    /// The words as the agent takes them.
    var words: String { get }
}

extension ItemWords {
    /// Runs a body with the item's words; if several items match, with the ID of the one that the person picks.
    func pick<T: Sendable>(
        _ options: AgentOptions,
        _ authorization: Authorization,
        _ agent: AgentClient,
        from kinds: ItemPicker.Kinds = .items,
        _ body: (String) async throws -> T
    ) async throws -> T {
        try await ItemPicker.pick(words, options, authorization, agent, from: kinds, body)
    }
}

/// The item that a command is about, as one word: other arguments follow it.
struct OneItemArgument: ItemWords {
    @Argument(
        help: ArgumentHelp("Title, words or ID of the item; quote what has spaces.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var item: String

    var words: String { item }
}

/// The item that a command is about.
struct ItemArgument: ItemWords {
    @Argument(
        help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var item: [String]

    var words: String { item.joined(separator: " ") }
}
