import ArgumentParser
import WardAgentClient

/// The arguments that select an item.
protocol ItemWords: ParsableArguments {
    /// The words in the form for the agent.
    var words: String { get }
}

extension ItemWords {
    /// Runs a closure with the item's words.
    ///
    /// If several items match, the person picks one, and the closure gets its ID.
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

/// The item of a command as one word, because other arguments follow.
struct OneItemArgument: ItemWords {
    @Argument(
        help: ArgumentHelp(
            "Title, words or ID of the item. Put a title with spaces in quotation marks.",
            valueName: "item"
        ),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var item: String

    var words: String { item }
}

/// The item of a command.
struct ItemArgument: ItemWords {
    @Argument(
        help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var item: [String]

    var words: String { item.joined(separator: " ") }
}
