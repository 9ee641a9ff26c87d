/// A suggestion that can be accepted instead of typing.
package struct LineSuggestion: Hashable, Sendable {
    /// The ID of the suggestion, chosen by its source.
    package let id: String
    /// The text to display.
    package let label: String
    /// The text that a person would type for it; empty if there is none.
    ///
    /// The suggestion stays in the bar while this text begins with the typed text. If there is no such text, the suggestion
    /// always stays.
    package let matching: String

    package init(id: String, label: String, matching: String = "") {
        self.id = id
        self.label = label
        self.matching = matching
    }

    func matches(_ typed: String) -> Bool {
        matching.isEmpty || matching.lowercased().hasPrefix(typed.lowercased())
    }
}
