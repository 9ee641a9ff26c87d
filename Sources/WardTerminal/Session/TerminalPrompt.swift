internal import Foundation

/// Asks for one line at the terminal, with suggestions under it that can change.
///
/// If the input is not a terminal, or a terminal without control sequences, it reads a plain line and shows no
/// suggestions.
///
/// Ward has its own line editor because those in Debian 12 do not fit: libedit cannot hide typed text, keeps no line
/// below the input and does not distinguish pasted text; readline could be changed by replacing its drawing, but its
/// licence would bind every app; libtickit and termbox use the whole screen.
package struct TerminalPrompt: Sendable {
    /// The person's answer.
    package enum Answer: Hashable, Sendable {
        /// The typed text.
        case text(String)
        /// The chosen suggestion.
        case suggestion(LineSuggestion)
    }

    /// The text before the line; shown without control characters.
    package var label: String
    /// The initial text of the line.
    package var text: String
    /// Whether typed text is hidden.
    package var isSecret: Bool

    package init(_ label: String, text: String = "", isSecret: Bool = false) {
        self.label = label
        self.text = text
        self.isSecret = isSecret
    }

    /// Asks and waits for the answer.
    ///
    /// - Parameters:
    ///   - suggestions: The lists of suggestions; each replaces the one before.
    ///   - typed: Called with the line after each change.
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
