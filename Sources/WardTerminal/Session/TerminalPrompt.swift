internal import Foundation

/// Asks for one line at the terminal, with suggestions under it that may come and go.
///
/// Where the input is no terminal, or one that knows no control sequences, it reads a plain line and shows no suggestions.
///
/// Why it is written here: of the line editors that Debian 12 packages, libedit cannot hide what is typed, keeps no line below the
/// input for itself and does not know pasted text from typed; readline can be made to by replacing its drawing, and
/// is under a licence that would bind every app; libtickit and termbox want the whole screen.
package struct TerminalPrompt: Sendable {
    /// What the person answered.
    package enum Answer: Hashable, Sendable {
        /// They typed this.
        case text(String)
        /// They chose this.
        case suggestion(LineSuggestion)
    }

    /// What stands before the line; shown without control characters.
    package var label: String
    /// What stands in the line to begin with.
    package var text: String
    /// Whether what is typed must not be seen.
    package var isSecret: Bool

    /// Describes one.
    package init(_ label: String, text: String = "", isSecret: Bool = false) {
        self.label = label
        self.text = text
        self.isSecret = isSecret
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - suggestions: What to offer, each time anew; the last counts.
    ///   - typed: Called with the line whenever it has changed.
    /// - Returns: The answer.
    /// - Throws: ``TerminalFailure``.
    package func ask(
        suggestions: AsyncStream<[LineSuggestion]>? = nil,
        typed: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(TerminalFailure) -> Answer {
        let environment = ProcessInfo.processInfo.environment
        let label = ShownText.clean(label)
        guard isatty(STDIN_FILENO) == 1, environment["TERM", default: "dumb"] != "dumb",
            case let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC), terminal >= 0
        else {
            return .text(try await PlainLine.read(label, isSecret: isSecret))
        }
        defer { close(terminal) }
        let editing = EditingSession(
            mode: try RawMode(terminal),
            terminal: terminal,
            editor: LineEditor(text: text, isSecret: isSecret),
            view: LineView(prompt: label, columns: 80, isPainted: Style.isWanted(on: terminal))
        )
        return try await editing.run(suggestions: suggestions, typed: typed)
    }
}
