internal import WardVault

extension ImportFormat {
    /// Bitwarden: the vault of a person, or of an organization (`collections` instead of `folder`).
    static let bitwardenCSV = CSVFormat(
        columns: [
            "folder": .tag, "collections": .tags, "favorite": .favorite, "type": .own, "name": .title, "notes": .notes,
            "fields": .own, "reprompt": .own, "login_uri": .own, "login_username": .username,
            "login_password": .password, "login_totp": .code,
        ],
        required: ["type", "name", "login_uri", "login_username", "login_password"],
        adjust: { draft in
            if draft.row["type"] == "note" { draft.kind = .note }
            for address in addresses(draft.row["login_uri"]) { draft.addSite(address) }
            for (label, value) in CSVLines.pairs(draft.row["fields"]) {
                draft.fields.append(Field(label: label, text: value))
            }
            if draft.row["reprompt"] == "1" {
                draft.note(.changed, "Bitwarden asked for the master password again; Ward has no such setting")
            }
        }
    ).format(id: "bitwarden-csv", title: "Bitwarden (CSV)")

    /// The addresses of an entry: a comma separates them, and is in some of them too.
    private static func addresses(_ text: String) -> [String] {
        var found: [String] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if piece.contains("://") || found.isEmpty || !(found.last ?? "").contains("://") {
                found.append(piece)
            } else {
                found[found.count - 1] += "," + piece
            }
        }
        return found
    }
}

/// Lines of the form `label: value`.
enum CSVLines {
    /// The labels and values; a line without a label belongs to the value before it.
    static func pairs(_ text: String, separator: String = ": ") -> [(label: String, value: String)] {
        var found: [(label: String, value: String)] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if let range = line.firstRange(of: separator) {
                found.append((String(line[..<range.lowerBound]), String(line[range.upperBound...])))
            } else if let last = found.indices.last {
                found[last].value += "\n" + line
            } else if !line.isEmpty {
                found.append(("", String(line)))
            }
        }
        return found
    }
}
