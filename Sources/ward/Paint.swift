import Foundation

/// Colour for terminals that want it: never with NO_COLOR set, never into a file.
struct Paint {
    let isOn: Bool

    static var isWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" && isatty(STDOUT_FILENO) == 1
    }

    func red(_ text: String) -> String { painted(text, "31") }
    func green(_ text: String) -> String { painted(text, "32") }
    func yellow(_ text: String) -> String { painted(text, "33") }
    func dim(_ text: String) -> String { painted(text, "2") }

    private func painted(_ text: String, _ code: String) -> String {
        isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
