import Foundation
import WardTerminal

/// Cleans all text that `ward` writes for people.
enum Screen {
    /// One line for output.
    ///
    /// It contains only visible characters and the styles that ``Paint`` added.
    static func line(_ text: String) -> String { styled(text, ShownText.clean) }

    /// The same for a text of several lines.
    static func lines(_ text: String) -> String { styled(text, ShownText.cleanLines) }

    /// The mark where ``Paint`` changes the style.
    ///
    /// It is random and created when the program starts, so that no text from outside can contain it.
    static let mark = "\u{1b}" + String(UInt64.random(in: .min ... .max), radix: 36) + ":"

    private static func styled(_ text: String, _ clean: (String) -> String) -> String {
        var pieces = text.components(separatedBy: mark)
        var shown = clean(pieces.removeFirst())
        for piece in pieces {
            let code = piece.prefix { $0 != "m" }
            shown += "\u{1b}[\(code)m" + clean(String(piece.dropFirst(code.count + 1)))
        }
        return shown
    }
}
