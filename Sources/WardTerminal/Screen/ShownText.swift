/// Text from outside, made fit to be shown.
package enum ShownText {
    /// One line in which nothing moves the cursor, changes a colour, or turns the writing direction around.
    ///
    /// Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls and other invisible characters are
    /// replaced. Joiners stay: they make emoji, and words of Persian.
    package static func clean(_ text: String) -> String { replacing(in: text) { _ in "\u{fffd}" } }

    /// The same for several lines: line feeds and tabs stay.
    package static func cleanLines(_ text: String) -> String {
        replacing(in: text) { $0 == "\n" || $0 == "\t" ? String($0) : "\u{fffd}" }
    }

    /// JSON with the same value in which nothing acts: inside strings, where else they cannot be, characters are escaped.
    package static func cleanJSON(_ text: String) -> String {
        replacing(in: text) { scalar in
            guard scalar != "\n" else { return "\n" }
            return Array(String(scalar).utf16).map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            .joined()
        }
    }

    /// Whether a character does something instead of showing.
    package static func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        case .format: scalar != "\u{200c}" && scalar != "\u{200d}"
        default: false
        }
    }

    private static func replacing(in text: String, _ replacement: (Unicode.Scalar) -> String) -> String {
        guard text.utf8.contains(where: { !(0x20..<0x7f).contains($0) }) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if acts(scalar) { shown += replacement(scalar) } else { shown.unicodeScalars.append(scalar) }
        }
        return shown
    }
}
