import Foundation
import WardAgentClient

/// Puts what the person copies in the extension's popup into the clipboard, and has it cleared.
///
/// An extension cannot clear the clipboard without the right to read all that the person copies. `ward` has a process that
/// holds a text and clears it if it is still there.
enum ClipboardHold {
    /// The longest text, in bytes.
    private static let maximumSize = 4096

    /// Starts the process.
    ///
    /// The text goes through a pipe, because other programs can see arguments.
    ///
    /// - Returns: The seconds until the clipboard is cleared.
    /// - Throws: `AgentError` with `unavailable` if no clipboard can be reached from here.
    static func hold(_ text: String) throws(AgentError) -> HoldForBrowser.Result {
        guard text.utf8.count <= maximumSize else {
            throw AgentError(.invalidValue, "Text for the clipboard must have at most \(maximumSize) bytes")
        }
        let unavailable = AgentError(.unavailable, "No clipboard can be reached")
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw unavailable
        }
        let (input, output) = (Pipe(), Pipe())
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("ward")
        holder.arguments = [ClipboardHolding.argument]
        (holder.standardInput, holder.standardOutput) = (input, output)
        holder.standardError = FileHandle.nullDevice
        do {
            try holder.run()
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try input.fileHandleForWriting.close()
        } catch { throw unavailable }
        // The holder closes its output when the text is in the clipboard, or cannot be. It ends by itself in any case.
        guard let report = try? output.fileHandleForReading.readToEnd(), report.first == ClipboardHolding.done else {
            throw unavailable
        }
        return HoldForBrowser.Result(seconds: ClipboardHolding.seconds)
    }
}
