/// One line with suggestions under it, and the effect of keys.
///
/// It has no input and no output.
///
/// Tab and the up and down arrows move through the suggestions; once one is selected, the left and right arrows do too.
/// Enter accepts the selected one or the line. Escape returns to the line; a second Escape closes the bar.
package struct LineEditor: Sendable {
    /// The next action after a key.
    package enum Outcome: Hashable, Sendable {
        /// Draw the line again.
        case redraw
        /// Clear the screen and draw the line again.
        case clear
        /// The person entered the line.
        case submit
        /// The person chose this suggestion.
        case take(LineSuggestion)
        /// The person cancelled.
        case cancel
        /// Suspend the program.
        case suspend
        /// Do nothing.
        case none
    }

    /// The typed line.
    package private(set) var line: LineBuffer
    /// Whether typed text is hidden.
    package let isSecret: Bool
    /// The index of the selected suggestion in ``shown``.
    package private(set) var selection: Int?
    private var suggestions: [LineSuggestion] = []
    private var isDismissed = false

    /// Creates an editor for a line.
    package init(text: String = "", isSecret: Bool = false) {
        line = LineBuffer(text)
        self.isSecret = isSecret
    }

    /// The suggestions in the bar: those that match the typed text.
    package var shown: [LineSuggestion] {
        if isDismissed { return [] }
        // If typed text is hidden, suggestions are not filtered by it, because the filter would show its beginning.
        return isSecret ? suggestions : suggestions.filter { $0.matches(line.text) }
    }

    /// Replaces the suggestions.
    ///
    /// The selected suggestion stays selected if the new list has an equal one.
    package mutating func suggest(_ suggestions: [LineSuggestion]) {
        let chosen = selection.map { shown[$0] }
        self.suggestions = suggestions
        selection = chosen.flatMap { chosen in shown.firstIndex { $0.label == chosen.label } }
    }

    /// Handles a key.
    package mutating func handle(_ key: TerminalKey) -> Outcome {
        switch key {
        case .enter:
            guard let selection else { return .submit }
            return .take(shown[selection])
        case .interrupt: return .cancel
        case .endOfInput where line.text.isEmpty: return .cancel
        case .suspend: return .suspend
        case .redraw: return .clear
        case .tab, .down: return choose(next: 1)
        case .backTab, .up: return choose(next: -1)
        case .right where selection != nil: return choose(next: 1)
        case .left where selection != nil: return choose(next: -1)
        case .escape: return dismiss()
        default: return edit(key)
        }
    }

    /// Selects the next or the previous suggestion.
    ///
    /// After the last and before the first one, nothing is selected.
    private mutating func choose(next step: Int) -> Outcome {
        let count = shown.count
        guard count > 0 else { return .none }
        let next = (selection ?? (step > 0 ? -1 : count)) + step
        selection = (0..<count).contains(next) ? next : nil
        return .redraw
    }

    private mutating func dismiss() -> Outcome {
        guard !shown.isEmpty else { return .none }
        if selection == nil { isDismissed = true }
        selection = nil
        return .redraw
    }

    private mutating func edit(_ key: TerminalKey) -> Outcome {
        let before = line.text
        switch key {
        case .text(let text), .paste(let text): line.insert(text)
        case .backspace: line.deleteBackward()
        case .delete, .endOfInput: line.deleteForward()
        case .deleteWord: line.deleteWord()
        case .deleteToStart: line.deleteToStart()
        case .deleteToEnd: line.deleteToEnd()
        case .left: line.move(by: -1)
        case .right: line.move(by: 1)
        case .home: line.moveToStart()
        case .end: line.moveToEnd()
        case .wordLeft: line.moveWordLeft()
        case .wordRight: line.moveWordRight()
        default: return .none
        }
        selection = nil
        // After the line was emptied, suggestions are shown again.
        if line.text.isEmpty, !before.isEmpty { isDismissed = false }
        return .redraw
    }
}
