import Foundation

/// The screen beside the terminal's own one: what was shown there is gone afterwards, also when scrolling back.
enum AlternateScreen {
    /// Shows lines, and runs a body that asks something below them.
    static func show<T>(_ lines: [String], _ body: () async throws -> T) async throws -> T {
        enter(lines)
        defer { leave() }
        return try await body()
    }

    /// Shows lines, and runs a body that asks something below them.
    static func show<T>(_ lines: [String], _ body: () throws -> T) throws -> T {
        enter(lines)
        defer { leave() }
        return try body()
    }

    private static func enter(_ lines: [String]) {
        // Questions take Ctrl-C as a key; between them it must not leave this screen behind.
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
