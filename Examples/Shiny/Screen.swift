import Foundation

/// What Shiny shows: bold, dim and the terminal's own colours, so that it reads on light and on dark ground.
enum Screen {
    /// As wide as the terminal, and no wider than is good to read.
    private static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 76 }
        return max(20, min(76, Int(size.ws_col) - 4))
    }
    private static let isTerminal = isatty(STDOUT_FILENO) == 1
    private static let isPainted =
        isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// A line of a menu: the key, what it does, and what that shows.
    struct Choice {
        let key: String
        let title: String
        var detail = ""
    }

    /// A page: where one is, what just happened, and what can be done.
    static func show(at address: String, title: String, details: [String] = [], notice: Notice?, choices: [Choice]) {
        // What was there before stays above, for those who scroll.
        if isTerminal { write("\u{1b}[H\u{1b}[2J") }
        let gap = max(0, width - "✦ Shiny".count - address.count)
        line()
        line("  " + bold("✦ Shiny") + (gap > 1 ? String(repeating: " ", count: gap) + dim(address) : ""))
        line("  " + dim(String(repeating: "─", count: width)))
        line("  " + bold(title))
        for detail in details { line("  " + detail) }
        if let notice { line("\n  " + notice.line) }
        line()
        for choice in choices {
            let padding = String(repeating: " ", count: max(2, 28 - choice.title.count))
            let isRoom = 6 + choice.title.count + padding.count + choice.detail.count <= width + 2
            line("   \(bold(choice.key))  \(choice.title)\(isRoom ? padding + dim(choice.detail) : "")")
        }
        line()
    }

    /// What just happened.
    struct Notice {
        fileprivate let line: String
        static func good(_ text: String) -> Notice { Notice(line: bold("✓") + " " + clean(text)) }
        static func bad(_ text: String) -> Notice { Notice(line: bold("✗") + " " + clean(text)) }
        static func plain(_ text: String) -> Notice { Notice(line: clean(text)) }
    }

    static func line(_ text: String = "") { write(text + "\n") }
    static func bold(_ text: String) -> String { isPainted ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
    static func dim(_ text: String) -> String { isPainted ? "\u{1b}[2m\(text)\u{1b}[0m" : text }

    /// Names come from outside: nothing in them may move the cursor.
    ///
    /// Long sentences go on in another line.
    static func clean(_ text: String) -> String {
        let shown = String(text.map { $0.isASCII && ($0 < " " || $0 == "\u{7f}") || $0 == "\u{9b}" ? "?" : $0 })
        var lines = [""]
        for word in shown.split(separator: " ") {
            if let last = lines.last, !last.isEmpty, last.count + word.count + 1 > width - 2 { lines.append("") }
            lines[lines.count - 1] += (lines.last?.isEmpty == false ? " " : "") + word
        }
        return lines.joined(separator: "\n    ")
    }

    private static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
