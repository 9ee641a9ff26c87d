/// The width of text in a terminal, in columns.
package enum TextWidth {
    /// The width of a text without control characters.
    package static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The width of one character.
    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
            0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }

    /// The text with exactly this width: padded with spaces, or cut with an ellipsis.
    package static func fit(_ text: String, _ width: Int) -> String {
        let own = of(text)
        if own <= width { return text + String(repeating: " ", count: width - own) }
        let kept = prefix(text, width - 1)
        return kept + "…" + String(repeating: " ", count: max(0, width - 1 - of(kept)))
    }

    /// The longest prefix that fits in this width.
    package static func prefix(_ text: String, _ width: Int) -> String {
        var out = ""
        var used = 0
        for character in text {
            let next = of(character)
            guard used + next <= width else { break }
            out.append(character)
            used += next
        }
        return out
    }
}
