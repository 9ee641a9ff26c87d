import Foundation
import WardTerminal

/// Standard output.
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

    /// A table on a terminal; elsewhere one line a row, with tabs between the columns and without headings.
    static func table(_ table: Table) {
        if isatty(STDOUT_FILENO) == 1 {
            return lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
        }
        write(table.rows.map { $0.joined(separator: "\t") + "\n" }.joined())
    }

    /// A line in place of the one before it, on a terminal.
    static func rewrite(_ line: String) { write("\r\u{1b}[K" + Screen.line(line)) }

    /// A single value: unchanged into a file or a pipe, cleaned on a terminal.
    static func value(_ text: String) {
        guard isatty(STDOUT_FILENO) == 1 else { return write(text + "\n") }
        let shown = Screen.lines(text)
        write(shown + "\n")
        if shown != text {
            Terminal.note("Some characters cannot be shown here. For the exact value use --copy, or a pipe.")
        }
    }

    /// The content of a file, unchanged.
    static func bytes(_ bytes: [UInt8]) throws(Failure) {
        do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch {
            throw Failure(.unavailable, "Standard output was closed before the whole file was written")
        }
    }

    /// Text of a protocol, unchanged.
    static func raw(_ text: String) { write(text) }

    private static func write(_ text: String) {
        // A reader that closed the pipe (ward list | head) is not an error.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
