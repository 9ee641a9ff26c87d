import Foundation
import WardTerminal

/// One line on the terminal that says what a long command does now.
struct ProgressLine: Sendable {
    let isShown: Bool

    /// Replaces the line.
    ///
    /// - Parameters:
    ///   - text: What happens now.
    ///   - step: The line is replaced only once in this many calls.
    ///   - index: The number of the call.
    func say(_ text: String, every step: Int = 1, _ index: Int = 0) {
        if isShown, index % step == 0 { write("\r\u{1b}[K" + Screen.line(text) + "…") }
    }

    /// Removes the line.
    func end() { if isShown { write("\r\u{1b}[K") } }

    private func write(_ text: String) { DescriptorOutput.write(text, to: STDERR_FILENO) }
}
