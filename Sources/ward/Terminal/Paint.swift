import Foundation
import WardTerminal

/// Colours for a terminal that supports them.
///
/// They are never used if NO_COLOR is set, and never in a file.
struct Paint {
    let isOn: Bool

    static var isWanted: Bool { Style.isWanted(on: STDOUT_FILENO) }
    /// The same for messages on standard error.
    static var isWantedOnError: Bool { Style.isWanted(on: STDERR_FILENO) }

    func red(_ text: String) -> String { painted(text, "31") }
    func green(_ text: String) -> String { painted(text, "32") }
    func yellow(_ text: String) -> String { painted(text, "33") }
    func bold(_ text: String) -> String { painted(text, "1") }
    func dim(_ text: String) -> String { painted(text, "2") }
    /// Black on white, whatever the colours of the terminal are.
    func onPaper(_ text: String) -> String { painted(text, "38;5;16;48;5;231") }

    private func painted(_ text: String, _ code: String) -> String {
        isOn ? "\(Screen.mark)\(code)m\(text)\(Screen.mark)0m" : text
    }
}
