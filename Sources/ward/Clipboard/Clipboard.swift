import Foundation
import WardAgentClient

/// The clipboard of the desktop, or of the person's terminal.
///
/// It is cleared after some time.
///
/// A separate process holds the text: `ward` ends at once, and the process clears the clipboard when the time is over.
enum Clipboard {
    /// The maximum number of bytes that can be copied.
    static let maximumSize = 1 << 20

    /// Copies a text.
    ///
    /// It leaves a small process running that clears the clipboard, unless something else was copied by then.
    ///
    /// - Throws: ``Failure`` when there is no clipboard, or nothing that can reach it.
    static func copy(_ text: String, what: String) throws {
        guard text.utf8.count <= maximumSize else {
            throw Failure(.usage, "The \(what) is too long for the clipboard: at most 1 MiB can be copied")
        }
        let report = try hold(Array(text.utf8))
        guard let verdict = report.first, let words = String(validating: report.dropFirst(), as: UTF8.self) else {
            throw Failure(.unavailable, "The clipboard does not answer. Try again")
        }
        guard verdict == ClipboardHolding.done else { throw Failure(.unavailable, words) }
        Terminal.note(words.replacing(ClipboardHolder.subject, with: "The \(what)"))
    }

    /// Starts the process that holds the text.
    ///
    /// The text goes through a pipe, because other programs can see arguments.
    ///
    /// - Returns: What the process reports when the text is in the clipboard, or cannot be.
    private static func hold(_ text: [UInt8]) throws -> [UInt8] {
        let own: String
        do { own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") } catch {
            throw Failure(.unavailable, "/proc is missing, so no process can hold the text for the clipboard")
        }
        // For the clipboard of a terminal, the process writes to the terminal once more when the time is over.
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        defer { if terminal >= 0 { close(terminal) } }
        let child = try Child(own, [ClipboardHolding.argument], error: terminal >= 0 ? terminal : nil, leads: true)
        guard child.write(text), let report = child.read(limit: 4096, seconds: 20) else {
            child.kill()
            throw Failure(.unavailable, "The clipboard does not answer. Try again")
        }
        return report
    }
}
