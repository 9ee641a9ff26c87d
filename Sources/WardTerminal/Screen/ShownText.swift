/// Text from outside, made safe for display.
package enum ShownText {
    /// One line in which no character moves the cursor, changes a colour, or changes the writing direction.
    ///
    /// Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls and other invisible
    /// characters are replaced. Joiners stay, because emoji and Persian words need them.
    package static func clean(_ text: String) -> String { replacing(in: text) { _ in "\u{fffd}" } }

    /// The same for a text of several lines.
    ///
    /// Line feeds and tabs stay.
    package static func cleanLines(_ text: String) -> String {
        replacing(in: text) { $0 == "\n" || $0 == "\t" ? String($0) : "\u{fffd}" }
    }

    /// JSON with the same value, in which such characters are escaped.
    ///
    /// They can occur only inside strings.
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

    /// Whether a character controls the display instead of being visible.
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
