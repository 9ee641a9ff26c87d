/// Something that can be taken instead of typing it.
package struct LineSuggestion: Hashable, Sendable {
    /// What it is to whoever offers it.
    package let id: String
    /// What is shown.
    package let label: String
    /// What a person would type for it; empty when it is nothing to type.
    ///
    /// The suggestion stays in the bar as long as that begins with what was typed, and without it whatever is typed.
    package let matching: String

    /// Describes one.
    package init(id: String, label: String, matching: String = "") {
        self.id = id
        self.label = label
        self.matching = matching
    }

    func matches(_ typed: String) -> Bool {
        matching.isEmpty || matching.lowercased().hasPrefix(typed.lowercased())
    }
}
