internal import WardVault

/// A table for another manager: one row for each login.
///
/// A value is written as it is. A spreadsheet may take a password that begins with `=` for a formula; with a character in front
/// of it, it would be another password.
struct CSVExport: Sendable {
    /// The columns in the order of the file, with the value of each.
    let columns: [(name: String, value: @Sendable (Item) -> String)]

    /// Writes the table.
    func file(_ source: ExportSource) -> [UInt8] {
        var bytes = row(columns.map(\.name))
        for item in source.items { bytes += row(columns.map { $0.value(item) }) }
        return bytes
    }

    /// One row, after the rules of RFC 4180, with the line end that browsers write.
    private func row(_ values: [String]) -> [UInt8] {
        Array((values.map(Self.quoted).joined(separator: ",") + "\n").utf8)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x2c }
        guard !isPlain || value.hasPrefix(" ") || value.hasSuffix(" ") else { return value }
        return "\"" + value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The first web address.
    static func address(_ item: Item) -> String {
        item.sites.lazy.compactMap { if case .web(let address) = $0.target { address } else { nil } }.first ?? ""
    }

    static func password(_ item: Item) -> String { item.password?.value.revealed ?? "" }
}

extension ExportFormat {
    /// The table of Apple Passwords, which most other managers read too.
    static let appleCSV = ExportFormat.csv(
        .appleCSV,
        holdsCodes: true,
        [
            // Apple adds the user name to the titles of entries without a title of their own, so readers take it away.
            ("Title", { $0.title + ($0.hasUserNameInTitle ? " (\($0.username))" : "") }), ("URL", CSVExport.address),
            ("Username", \.username), ("Password", CSVExport.password), ("Notes", { $0.notes.revealed }),
            ("OTPAuth", { item in item.codes.first { $0.isTimeBased }?.link ?? "" }),
        ]
    )

    /// Chrome, Edge, Brave and other browsers of Chromium.
    static let chromeCSV = ExportFormat.csv(
        .chromeCSV,
        holdsCodes: false,
        [
            ("name", \.title), ("url", CSVExport.address), ("username", \.username), ("password", CSVExport.password),
            ("note", { $0.notes.revealed }),
        ]
    )

    private static func csv(
        _ format: ImportFormat,
        holdsCodes: Bool,
        _ columns: [(String, @Sendable (Item) -> String)]
    ) -> ExportFormat {
        var held: Set<ExportPart> = [.username, .password, .notes]
        if holdsCodes { held.insert(.codes) }
        return ExportFormat(
            id: format.id,
            title: format.title,
            isSealed: false,
            limits: ExportLimits(
                kinds: [.login],
                held: held,
                check: { item in
                    var notices: [(ExportPart, ExportNotice.Outcome, String)] = []
                    if CSVExport.address(item).isEmpty {
                        notices.append((.sites, .changed, "the row has no web address; browsers leave such a row out"))
                    }
                    if holdsCodes, item.codes.contains(where: { $0.kind == .steam }) {
                        notices.append((.codes, .skipped, "the secrets of Steam's codes are left out"))
                    }
                    return notices
                }
            ),
            write: { source, _ in CSVExport(columns: columns.map { (name: $0.0, value: $0.1) }).file(source) }
        )
    }
}

extension Item {
    fileprivate var hasUserNameInTitle: Bool { !username.isEmpty && title.hasSuffix(" (\(username))") }
}

extension OneTimePassword {
    fileprivate var isTimeBased: Bool { if case .totp = kind { true } else { false } }
}
