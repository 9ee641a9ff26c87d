import Foundation
import WardAgentClient
import WardExchange

/// What an import does, or did, for people and for programs.
struct ImportReport: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey { case file, format, isApplied, counts, lines, notices, wiped }

    /// The path, or the name of the browser.
    let file: String
    /// The word for the format.
    let format: String
    /// The name of the format for people.
    let title: String
    /// The words of the command that name the source: the path, or `--from-browser firefox`.
    let arguments: [String]
    var isApplied: Bool
    var outcome: ImportOutcome
    let notices: [ImportNotice]
    var isWiped: WipedFile?

    private static let shown = 20

    /// The number of items that are added or change an entry.
    var changes: Int { outcome.lines.count { $0.outcome != "unchanged" } }

    func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    private func count(_ word: String) -> Int { outcome.lines.count { $0.outcome == word } }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(file, forKey: .file)
        try container.encode(format, forKey: .format)
        try container.encode(isApplied, forKey: .isApplied)
        var counts = ["items": outcome.lines.count, "added": outcome.added, "changed": outcome.changed]
        for word in ["new", "unchanged", "joined", "conflict"] { counts[word] = count(word) }
        for notice in ["kept", "changed", "skipped"] {
            counts["notices_\(notice)"] = notices.count { $0.outcome.rawValue == notice }
        }
        try container.encode(counts, forKey: .counts)
        try container.encode(outcome.lines, forKey: .lines)
        try container.encode(
            notices.map { ["place": $0.place, "outcome": $0.outcome.rawValue, "text": $0.text] },
            forKey: .notices
        )
        if isApplied { try container.encode(isWiped != nil, forKey: .wiped) }
    }

    // MARK: For people

    /// The report: counts, then one line for each item.
    ///
    /// On a terminal, long lists of new and known items are cut.
    func lines(_ paint: Paint) -> [String] {
        var lines = ["\(Table.clean(file)): \(title), \(items(outcome.lines.count))", ""]
        add(&lines, "new", paint.green("+"), "New") { name($0) }
        add(&lines, "unchanged", paint.dim("="), "Already there") { name($0) }
        add(&lines, "joined", paint.green("→"), "Joined to an entry of the same account") {
            let entry = $0.entry ?? ""
            return entry == $0.title ? name($0) : "\(name($0)) → \(Table.clean(entry))"
        }
        add(&lines, "conflict", paint.yellow("!"), "Another password; both are kept") {
            let isNewer = $0.isNewer ?? false
            return name($0)
                + (isNewer ? ": the file's is newer and becomes the current one" : ": the file's goes to the history")
        }
        for (outcome, heading) in [
            (ImportNotice.Outcome.kept, "Kept, but not understood"), (.changed, "Imported in another form"),
            (.skipped, "Left out"),
        ] {
            let found = notices.filter { $0.outcome == outcome }
            guard !found.isEmpty else { continue }
            lines.append("\(paint.yellow("·")) \(heading): \(found.count)")
            lines += found.map { "    \(Table.clean($0.place)): \(Table.clean($0.text))" } + [""]
        }
        return lines
    }

    /// What the person can do after a dry run.
    var next: [String] {
        guard changes > 0 else { return ["Nothing to import: the vault has everything."] }
        let words = (["ward", "import"] + arguments.map(Self.quoted) + ["--apply"]).joined(separator: " ")
        return [CommandHints.here("Nothing was changed. To import: \(words)")]
    }

    /// What happened.
    var done: String {
        guard changes > 0 else { return "Nothing was changed: the vault has everything." }
        return "Imported \(items(changes)): \(outcome.added) added, \(outcome.changed) changed."
    }

    private func add(
        _ lines: inout [String],
        _ word: String,
        _ mark: String,
        _ heading: String,
        _ text: (ImportOutcome.Line) -> String
    ) {
        let found = outcome.lines.filter { $0.outcome == word }
        guard !found.isEmpty else { return }
        lines.append("\(mark) \(heading): \(found.count)")
        let isLong = word == "new" || word == "unchanged"
        let limit = isLong && Terminal.width > 0 ? Self.shown : found.count
        lines += found.prefix(limit).map { "    " + text($0) }
        if found.count > limit { lines.append("    and \(found.count - limit) more") }
        lines.append("")
    }

    private func name(_ line: ImportOutcome.Line) -> String {
        let title = Table.clean(line.title)
        return line.username.isEmpty ? title : "\(title) (\(Table.clean(line.username)))"
    }

    /// The path as a shell reads it.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/+,".contains($0)) }
        return isPlain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
