/// One line with suggestions under it, as keys change it; it reads and writes nothing.
///
/// Tab and the arrows up and down go through the suggestions, and left and right too once one is chosen; Enter takes the chosen
/// one, or else the line; Escape goes back to the line, and a second time closes the bar.
package struct LineEditor: Sendable {
    /// What is to be done after a key.
    package enum Outcome: Hashable, Sendable {
        /// Draw the line anew.
        case redraw
        /// Clear the screen and draw the line anew.
        case clear
        /// The person entered the line.
        case submit
        /// The person chose this suggestion.
        case take(LineSuggestion)
        /// The person gives up.
        case cancel
        /// The terminal is to be left for a while.
        case suspend
        /// Nothing.
        case none
    }

    /// What was typed.
    package private(set) var line: LineBuffer
    /// Whether what is typed must not be seen.
    package let isSecret: Bool
    /// Which of ``shown`` is chosen.
    package private(set) var selection: Int?
    private var suggestions: [LineSuggestion] = []
    private var isDismissed = false

    /// Begins a line.
    package init(text: String = "", isSecret: Bool = false) {
        line = LineBuffer(text)
        self.isSecret = isSecret
    }

    /// The suggestions in the bar: those that fit to what was typed.
    package var shown: [LineSuggestion] {
        if isDismissed { return [] }
        // What a secret begins with is nobody's business.
        return isSecret ? suggestions : suggestions.filter { $0.matches(line.text) }
    }

    /// Puts suggestions into the bar; the chosen one stays chosen when one that reads the same is among them.
    package mutating func suggest(_ suggestions: [LineSuggestion]) {
        let chosen = selection.map { shown[$0] }
        self.suggestions = suggestions
        selection = chosen.flatMap { chosen in shown.firstIndex { $0.label == chosen.label } }
    }

    /// Does what a key says.
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

    /// One further, or one back; past either end is the line itself.
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
        // An emptied line begins anew.
        if line.text.isEmpty, !before.isEmpty { isDismissed = false }
        return .redraw
    }
}
