import Foundation
import WardTerminal

/// What commands print.
enum Output {
    /// A value as JSON, members sorted, one line.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Text that is JSON already; what a terminal could take for a command is escaped.
    static func json(_ text: String) { write(ShownText.cleanJSON(text) + "\n") }

    /// Lines of text, each of them one line.
    static func lines(_ lines: [String]) { write(lines.map(Screen.line).joined(separator: "\n") + "\n") }

    /// A line in place of the one before it, on a terminal.
    static func rewrite(_ line: String) { write("\r\u{1b}[K" + Screen.line(line)) }

    /// A value that was asked for by itself: byte for byte into a file or a pipe, and fit to be seen on a terminal.
    static func value(_ text: String) {
        guard isatty(STDOUT_FILENO) == 1 else { return write(text + "\n") }
        let shown = Screen.lines(text)
        write(shown + "\n")
        if shown != text {
            Terminal.note("Some characters cannot be shown here. For the exact value use --copy, or a pipe.")
        }
    }

    private static func write(_ text: String) {
        // A reader that went away (ward list | head) is no error.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}

/// Times as a person says them.
enum When {
    /// A day, in the time zone of the machine.
    static func day(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd") }
    /// A day and a time.
    static func minute(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd HH:mm") }

    private static func format(_ seconds: Int64, _ pattern: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = pattern
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
