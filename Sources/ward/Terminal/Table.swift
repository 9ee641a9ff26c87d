import Foundation

/// Rows under headings, no wider than the terminal.
struct Table {
    /// A column: its heading, and whether it gives way when there is no room.
    struct Column {
        let heading: String
        var shrinks = true
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String]) { rows.append(row.map(Self.clean)) }

    /// The lines; all there is when the width is 0.
    func lines(width: Int, paint: Paint) -> [String] {
        let widths = fitted(width)
        let headings = zip(columns.map(\.heading), widths).map { Self.fit($0, $1) }
        var lines = [paint.dim(Self.trimmed(headings))]
        lines += rows.map { row in Self.trimmed(zip(row, widths).map { Self.fit($0, $1) }) }
        return lines
    }

    /// What columns may take: their widest cell, and less for the widest first where there is no room.
    private func fitted(_ width: Int) -> [Int] {
        var widths = columns.indices.map { column in
            max(TextWidth.of(columns[column].heading), rows.map { TextWidth.of($0[column]) }.max() ?? 0)
        }
        guard width > 0 else { return widths }
        while widths.reduce(0, +) + 2 * (widths.count - 1) > width {
            let candidates = widths.indices.filter { columns[$0].shrinks && widths[$0] > 6 }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }

    private static func trimmed(_ cells: [String]) -> String {
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func fit(_ text: String, _ width: Int) -> String {
        let own = TextWidth.of(text)
        if own <= width { return text + String(repeating: " ", count: width - own) }
        var out = ""
        var used = 0
        for character in text {
            let next = TextWidth.of(String(character))
            guard used + next <= width - 1 else { break }
            out.append(character)
            used += next
        }
        return out + "…" + String(repeating: " ", count: max(0, width - 1 - used))
    }

    /// Names come from outside: nothing in them may move the cursor or change a colour.
    static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: "\u{fffd}"
                    default: scalar
                    }
                }
            )
        )
    }
}

/// How many columns a text takes in a terminal.
enum TextWidth {
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    private static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
            0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
