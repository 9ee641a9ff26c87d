import Foundation
import WardTerminal

/// Standard output.
enum Output {
    /// A value as JSON on one line, with sorted members.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Text that is already JSON.
    ///
    /// Characters with a meaning for a terminal are escaped.
    static func json(_ text: String) { write(ShownText.cleanJSON(text) + "\n") }

    /// Several lines of text.
    ///
    /// Each is shown on one line.
    static func lines(_ lines: [String]) { write(lines.map(Screen.line).joined(separator: "\n") + "\n") }

    /// A table on a terminal.
    ///
    /// In a pipe or file, each row is one line without headings, with tabs between the columns.
    static func table(_ table: Table) {
        if isatty(STDOUT_FILENO) == 1 {
            return lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
        }
        write(table.rows.map { $0.joined(separator: "\t") + "\n" }.joined())
    }

    /// A line that replaces the line before it, on a terminal.
    static func rewrite(_ line: String) { write("\r\u{1b}[K" + Screen.line(line)) }

    /// A single value.
    ///
    /// It is unchanged in a file or pipe, and cleaned on a terminal.
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
        guard DescriptorOutput.write(bytes, to: STDOUT_FILENO) == 0 else {
            throw Failure(
                .unavailable,
                "The whole file could not be written to standard output: it was closed, or the disk is full"
            )
        }
    }

    /// Text of a protocol, unchanged.
    static func raw(_ text: String) { write(text) }

    private static func write(_ text: String) {
        // If the reader closes the pipe (ward list | head), that is not an error. On a full disk it is.
        if [0, EPIPE].contains(DescriptorOutput.write(text, to: STDOUT_FILENO)) { return }
        Terminal.note("Error: standard output could not be written. Is the disk full?")
        Foundation.exit(Failure.Status.unavailable.rawValue)
    }
}
