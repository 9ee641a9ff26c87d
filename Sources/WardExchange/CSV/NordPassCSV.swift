internal import WardText
internal import WardVault

extension ImportFormat {
    /// NordPass: logins, cards, identities and notes in one table with a column `type`.
    static let nordPassCSV = CSVFormat(
        columns: [
            "name": .title, "url": .site, "additional_urls": .own, "username": .username, "password": .password,
            "note": .notes, "cardholdername": .own, "cardnumber": .own, "cvc": .own, "pin": .own, "expirydate": .own,
            "zipcode": .own, "folder": .tag, "full_name": .own, "phone_number": .own, "email": .own, "address1": .own,
            "address2": .own, "city": .own, "country": .own, "state": .own, "type": .own, "custom_fields": .own,
        ],
        required: ["name", "url", "username", "password", "note", "cardholdername", "cardnumber", "type"],
        adjust: adjustNordPass
    ).format(id: "nordpass", title: "NordPass (CSV)")

    @Sendable private static func adjustNordPass(_ draft: inout CSVDraft) {
        let row = draft.row
        for address in texts(row["additional_urls"]) ?? CSVDraft.list(row["additional_urls"], separators: ",") {
            draft.addSite(address)
        }
        addCustomFields(row["custom_fields"], &draft)
        switch row["type"].lowercased() {
        case "folder":
            draft.isSkipped = true
            draft.note(.skipped, "this row is only the name of a folder; its items have it as a tag")
            return
        case "note": draft.kind = .note
        case "credit_card": draft.kind = .card
        case "identity": draft.kind = .identity
        case "password": draft.kind = .login
        case "": break
        default: draft.fields.append(Field(label: "Type", text: row["type"]))
        }
        let isCard = draft.kind == .card
        draft.own(.number, row["cardnumber"], .concealed)
        draft.own(.verificationNumber, row["cvc"], .concealed)
        draft.own(.pin, row["pin"], .concealed)
        draft.own(.expiryDate, row["expirydate"])
        draft.own(.fullName, row["cardholdername"])
        if isCard, !row["zipcode"].isEmpty {
            draft.fields.append(Field(label: "Postal code", text: row["zipcode"]))
        } else {
            draft.own(.postalCode, row["zipcode"])
        }
        draft.own(.fullName, row["full_name"])
        draft.own(.telephone, row["phone_number"])
        draft.own(.streetAddress, [row["address1"], row["address2"]].filter { !$0.isEmpty }.joined(separator: "\n"))
        draft.own(.city, row["city"])
        draft.own(.country, row["country"])
        draft.own(.territory, row["state"])
        if !row["email"].isEmpty {
            draft.fields.append(Field(label: "Email", type: .email, value: .text(SecretText(row["email"]))))
        }
    }

    /// The texts of a list in JSON, or `nil` if it is none.
    private static func texts(_ text: String) -> [String]? {
        guard let list = (try? JSONValue(Array(text.utf8)))?.arrayValue else { return nil }
        return list.compactMap(\.stringValue)
    }

    /// Fields in JSON: `[{"type":"text","label":"…","value":"…"}]`.
    private static func addCustomFields(_ text: String, _ draft: inout CSVDraft) {
        guard !text.isEmpty else { return }
        guard let list = (try? JSONValue(Array(text.utf8)))?.arrayValue else {
            draft.fields.append(Field(label: "custom_fields", text: text))
            draft.note(.kept, "the column custom_fields is not understood and became a field")
            return
        }
        for entry in list {
            let label = entry["label"]?.stringValue ?? ""
            if let value = entry["value"]?.stringValue {
                let isHidden = entry["type"]?.stringValue == "hidden"
                draft.fields.append(Field(label: label, text: value, isConcealed: isHidden))
            } else {
                draft.fields.append(Field(label: label, text: entry.text))
            }
        }
    }
}
