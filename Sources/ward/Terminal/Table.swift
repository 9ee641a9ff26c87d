import Foundation
import WardTerminal

/// Rows under headings.
///
/// The table is not wider than the terminal.
struct Table {
    /// A column: its heading, and whether it can become narrower if there is no room.
    struct Column {
        let heading: String
        var shrinks = true
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String]) { rows.append(row.map(Self.clean)) }

    /// The lines of the table.
    ///
    /// With the width 0, nothing is shortened.
    func lines(width: Int, paint: Paint) -> [String] {
        let widths = fitted(width)
        let headings = zip(columns.map(\.heading), widths).map { TextWidth.fit($0, $1) }
        var lines = [paint.dim(Self.trimmed(headings))]
        lines += rows.map { row in Self.trimmed(zip(row, widths).map { TextWidth.fit($0, $1) }) }
        return lines
    }

    /// The widths of the columns: the widest cell of each.
    ///
    /// If there is no room, the widest columns become narrower first.
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

    /// Names come from outside, so characters that move the cursor or change a colour are removed.
    static func clean(_ text: String) -> String { ShownText.clean(text) }
}
