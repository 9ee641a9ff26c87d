import Foundation
import WardExchange

/// What an export writes, and what it leaves out, for people and for programs.
struct ExportReport: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey { case file, format, isSealed, isWritten, counts, unreadable, notices }

    let file: String
    let format: ExportFormat
    let fetched: ExportFetch
    let notices: [ExportNotice]
    var isWritten = false

    private static let shown = 20

    /// The number of items in the file.
    var items: Int { fetched.source.items.count - notices.count { $0.part == .item } }

    /// Whether anything of the vault's items is not in the file as it is.
    var hasLosses: Bool { !notices.isEmpty || !fetched.unreadable.isEmpty }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(file, forKey: .file)
        try container.encode(format.id, forKey: .format)
        try container.encode(format.isSealed, forKey: .isSealed)
        try container.encode(isWritten, forKey: .isWritten)
        let counts = [
            "items": items, "inTrash": fetched.inTrash, "unreadable": fetched.unreadable.count,
            "changed": notices.count { $0.outcome == .changed }, "skipped": notices.count { $0.outcome == .skipped },
        ]
        try container.encode(counts, forKey: .counts)
        try container.encode(fetched.unreadable, forKey: .unreadable)
        try container.encode(
            notices.map {
                ["item": $0.item, "part": $0.part.rawValue, "outcome": $0.outcome.rawValue, "text": $0.text]
            },
            forKey: .notices
        )
    }

    // MARK: For people

    /// Counts, then what is left out and what changes, with the items that it is about.
    func lines(_ paint: Paint) -> [String] {
        var lines = ["\(Table.clean(file)): \(format.title), \(Self.items(items))", ""]
        for (outcome, heading) in [(ExportNotice.Outcome.skipped, "Left out"), (.changed, "In another form")] {
            let found = notices.filter { $0.outcome == outcome }
            guard !found.isEmpty else { continue }
            lines.append("\(paint.yellow("·")) \(heading):")
            for text in Self.unique(found.map(\.text)) { add(text, found, &lines) }
            lines.append("")
        }
        if !fetched.unreadable.isEmpty {
            let count = Self.items(fetched.unreadable.count)
            lines += ["\(paint.red("!")) Damaged in the vault, so not in the file: \(count). See ward log verify", ""]
        }
        var rest = ["earlier revisions of items"]
        if fetched.inTrash > 0 { rest.append("the trash (\(Self.items(fetched.inTrash)))") }
        return lines + ["Never in an export: \(rest.joined(separator: ", "))."]
    }

    private func add(_ text: String, _ notices: [ExportNotice], _ lines: inout [String]) {
        let titles = notices.filter { $0.text == text }.map { Table.clean($0.item) }
        let limit = Terminal.width > 0 ? Self.shown : titles.count
        lines.append("    \(Self.items(titles.count)): \(Table.clean(text))")
        lines += titles.prefix(limit).map { "        " + $0 }
        if titles.count > limit { lines.append("        and \(titles.count - limit) more") }
    }

    /// What happened.
    var done: String { "Wrote \(Self.items(items)) to \(Table.clean(file))." }

    static func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}
