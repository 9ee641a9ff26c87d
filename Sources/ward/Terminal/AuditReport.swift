import Foundation
import WardAgentClient

/// The list of security problems, for people and as JSON.
struct AuditReport {
    /// The exit status of `ward audit` if there are problems.
    static let problemsFound: Int32 = 11

    /// A problem in the form for JSON.
    struct Problem: Encodable {
        let kind: String
        let id: String
        let title: String
        let username: String
        let sites: [String]
        let bits: Int?
        let group: Int?
        let count: Int?
        let date: String?
        let address: String?
        let isIgnored: Bool
    }

    /// The report in the form for JSON.
    struct JSON: Encodable {
        let problems: [Problem]
        let items: Int
        let passwords: Int
        let unreadable: Int
        let ignored: Int
    }

    private let result: AuditVault.Result
    private let items: [String: SummaryRecord]
    private let shown: [AuditRecord]
    private let ignored: Int

    init(_ result: AuditVault.Result, showIgnored: Bool) {
        self.result = result
        items = Dictionary(result.items.map { ($0.id, $0) }) { first, _ in first }
        shown = result.findings.filter { showIgnored || $0.isIgnored != true }
        ignored = result.findings.count { $0.isIgnored == true }
    }

    /// Whether there are problems that are not ignored.
    var hasProblems: Bool { result.findings.contains { $0.isIgnored != true } }

    var json: JSON {
        JSON(
            problems: shown.map { finding in
                let item = items[finding.item]
                return Problem(
                    kind: finding.kind,
                    id: finding.item,
                    title: item?.title ?? "",
                    username: item?.username ?? "",
                    sites: item?.sites ?? [],
                    bits: finding.bits,
                    group: finding.group,
                    count: finding.count,
                    date: finding.date,
                    address: finding.address,
                    isIgnored: finding.isIgnored == true
                )
            },
            items: result.checked,
            passwords: result.passwords,
            unreadable: result.unreadable,
            ignored: ignored
        )
    }

    /// Prints the problems by kind.
    ///
    /// In a pipe, each problem is one line with tabs between the columns.
    func print() {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let paint = Paint(isOn: Paint.isWanted)
        var lines: [String] = []
        for (kind, findings) in sections {
            let table = table(kind, findings)
            guard isTerminal else {
                Output.raw(table.rows.map { ([kind] + $0).joined(separator: "\t") + "\n" }.joined())
                continue
            }
            lines += ["", heading(kind, findings, paint)]
            lines += table.lines(width: Terminal.width - 2, paint: paint).map { "  " + $0 }
        }
        if !lines.isEmpty { Output.lines(Array(lines.dropFirst())) }
        Terminal.note((isTerminal && !lines.isEmpty ? "\n" : "") + summary)
    }

    /// The problems of each kind, in the order of the first of each.
    private var sections: [(kind: String, findings: [AuditRecord])] {
        var sections: [(kind: String, findings: [AuditRecord])] = []
        for finding in shown {
            if sections.last?.kind == finding.kind {
                sections[sections.count - 1].findings.append(finding)
            } else {
                sections.append((finding.kind, [finding]))
            }
        }
        return sections
    }

    private func heading(_ kind: String, _ findings: [AuditRecord], _ paint: Paint) -> String {
        let count = findings.count
        let groups = Set(findings.compactMap(\.group)).count
        let text: String
        switch kind {
        case "leaked": text = Self.number(count, "leaked password", "leaked passwords")
        case "weak": text = Self.number(count, "weak password", "weak passwords")
        case "reused": text = Self.number(groups, "reused password", "reused passwords")
        case "expired": text = Self.number(count, "expired card", "expired cards")
        case "duplicate": text = Self.number(groups, "account with several items", "accounts with several items")
        case "code-missing":
            text = Self.number(count, "account", "accounts") + " without codes, which the site offers"
        case "passkey-missing":
            text = Self.number(count, "account", "accounts") + " without a passkey, which the site offers"
        default: text = "\(kind): \(count)"
        }
        let isBad = ["leaked", "weak", "reused"].contains(kind)
        return paint.bold(isBad ? paint.red(text) : paint.yellow(text))
    }

    private func table(_ kind: String, _ findings: [AuditRecord]) -> Table {
        var table = Table([
            .init(heading: "Title"), .init(heading: "User name"), .init(heading: "Site"),
            .init(heading: Self.details[kind] ?? "", shrinks: false), .init(heading: "ID", shrinks: false),
        ])
        for finding in findings {
            let item = items[finding.item]
            table.add([
                item?.title ?? "", item?.username ?? "", SiteText.host(item?.sites.first ?? ""),
                Self.detail(finding) + (finding.isIgnored == true ? " (ignored)" : ""), String(finding.item.prefix(8)),
            ])
        }
        return table
    }

    private static let details = [
        "leaked": "Seen", "weak": "Strength", "reused": "Password", "expired": "Valid until", "duplicate": "Account",
        "passkey-missing": "Add it at",
    ]

    private static func detail(_ finding: AuditRecord) -> String {
        switch finding.kind {
        case "leaked": return finding.count.map { number($0, "time", "times") } ?? ""
        case "weak": return finding.bits.map { "\($0) bits" } ?? ""
        case "reused": return finding.group.map { "no. \($0), at \(finding.count ?? 0) items" } ?? ""
        case "expired": return finding.date ?? ""
        case "duplicate": return finding.group.map { "no. \($0)" } ?? ""
        case "passkey-missing": return finding.address ?? ""
        default: return ""
        }
    }

    private var summary: String {
        let problems = shown.count { $0.isIgnored != true }
        let checked = Self.number(result.checked, "item", "items")
        var text =
            problems == 0
            ? "No problems in \(checked)."
            : "\(Self.number(problems, "problem", "problems")) in \(checked). Change a password: ward audit fix ITEM"
        if ignored > 0, shown.count == problems {
            text += "\n\(Self.number(ignored, "problem is", "problems are")) ignored: ward audit --show-ignored"
        }
        if result.unreadable > 0 {
            text += "\n\(Self.number(result.unreadable, "item", "items")) cannot be read: ward status"
        }
        return text
    }

    /// A number with its noun.
    static func number(_ count: Int, _ one: String, _ several: String) -> String {
        count == 1 ? "1 \(one)" : "\(count) \(several)"
    }
}
