internal import WardVault

extension ImportFormat {
    /// LastPass: `url,username,password,totp,extra,name,grouping,fav`; a note has the address `http://sn`.
    static let lastPassCSV = CSVFormat(
        columns: [
            "url": .own, "username": .username, "password": .password, "totp": .code, "extra": .own,
            "name": .title, "grouping": .own, "fav": .favorite,
        ],
        required: ["url", "username", "password", "extra", "name", "grouping", "fav"],
        adjust: { draft in
            let (address, extra) = (draft.row["url"], draft.row["extra"])
            let group = draft.row["grouping"]
            if !group.isEmpty, group != "(none)" {
                draft.tags.append(group.split { $0 == "\\" }.joined(separator: "/"))
            }
            guard address == "http://sn" else {
                draft.addSite(address)
                draft.notes = extra
                return
            }
            draft.kind = .note
            guard extra.hasPrefix("NoteType:") else {
                draft.notes = extra
                return
            }
            typedNote(extra, &draft)
        }
    ).format(id: "lastpass", title: "LastPass (CSV)")

    private static let kinds: [String: ItemKind] = [
        "Credit Card": .card, "Address": .identity, "SSH Key": .sshKey, "Wi-Fi Password": .wifi, "Wireless": .wifi,
        "Driver's License": .identity, "Passport": .identity, "Social Security": .identity,
    ]
    private static let names: [ItemKind: [String: (FieldName, Field.ValueType)]] = [
        .card: [
            "Name on Card": (.fullName, .text), "Type": (.cardType, .text), "Number": (.number, .concealed),
            "Security Code": (.verificationNumber, .concealed),
        ],
        .wifi: ["SSID": (.ssid, .text), "Password": (.passphrase, .concealed)],
    ]
    private static let secrets = ["password", "pin", "code", "key", "passphrase", "passcode", "number"]

    /// A note with a type: lines `Label:value`, and at the end free text after `Notes:`.
    private static func typedNote(_ text: String, _ draft: inout CSVDraft) {
        var (head, notes) = (text, "")
        if let range = text.firstRange(of: "\nNotes:") {
            head = String(text[..<range.lowerBound])
            notes = String(text[range.upperBound...])
        }
        draft.notes = notes
        var kind = ItemKind.note
        for (label, value) in CSVLines.pairs(head, separator: ":") where !value.isEmpty {
            if label == "NoteType" {
                kind = kinds[value] ?? .note
                draft.kind = kind
                draft.fields.append(Field(label: "Type", text: value))
            } else if label == "Language" {
                draft.note(.skipped, "the language of the form for this note is left out: \(ItemTitle.clean(value))")
            } else if let (name, type) = names[kind]?[label] {
                draft.own(name, value, type)
            } else {
                let isSecret = secrets.contains { label.lowercased().contains($0) }
                draft.fields.append(Field(label: label, text: value, isConcealed: isSecret))
            }
        }
    }
}
