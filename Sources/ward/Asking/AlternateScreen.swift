import Foundation

/// The alternate screen of a terminal.
///
/// Its contents disappear when it is closed, and scrolling back does not show them.
enum AlternateScreen {
    /// Shows lines, and runs a closure that asks questions below them.
    static func show<T>(_ lines: [String], _ body: () async throws -> T) async throws -> T {
        enter(lines)
        defer { leave() }
        return try await body()
    }

    /// Shows lines, and runs a closure that asks questions below them.
    static func show<T>(_ lines: [String], _ body: () throws -> T) throws -> T {
        enter(lines)
        defer { leave() }
        return try body()
    }

    private static func enter(_ lines: [String]) {
        // During a question, Ctrl-C is read as a key. Between questions it must not end the program on this screen.
        _ = signal(SIGINT, SIG_IGN)
        write("\u{1b}[?1049h\u{1b}[2J\u{1b}[H")
        Output.lines(lines)
    }

    private static func leave() {
        write("\u{1b}[2J\u{1b}[?1049l")
        _ = signal(SIGINT, SIG_DFL)
    }

    private static func write(_ sequence: String) { Output.raw(sequence) }
}
