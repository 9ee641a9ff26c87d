internal import Foundation
internal import WardText
internal import WardVault

extension ImportFormat {
    /// The archive of 1Password.
    static let onePUX = ImportFormat(id: "1pux", title: "1Password (1PUX)") { source in
        guard ZipArchive.isArchive(source.bytes), let archive = try? ZipArchive(source.bytes) else { return false }
        return archive.names.contains("export.data")
    } read: { (source) throws(ImportError) in
        let archive = try ZipArchive(source.bytes)
        guard let data = try archive.content("export.data") else {
            throw ImportError(.malformed, "the archive has no file export.data")
        }
        let document = try ImportedJSON.document(data)
        guard let accounts = document["accounts"]?.arrayValue else {
            throw ImportError(.malformed, "the file has no accounts")
        }
        let vaults = accounts.flatMap { $0["vaults"]?.elements ?? [] }
        var file = ImportedFile()
        for vault in vaults {
            let name = vaults.count > 1 ? vault["attrs"]?["name"]?.stringValue ?? "" : ""
            for json in vault["items"]?.elements ?? [] {
                var item = OnePUXItem(json, vault: name, index: file.items.count, now: source.now)
                let draft = try item.read(archive)
                file.notices += draft.notices
                file.items.append(draft.finished())
            }
        }
        return file
    }
}

/// Reads one item of 1Password.
private struct OnePUXItem {
    private let json: JSONValue
    private var draft: ItemDraft

    /// The kinds of 1Password's categories; the others are notes.
    private static let kinds: [String: ItemKind] = [
        "001": .login, "002": .card, "004": .identity, "005": .login, "109": .wifi, "110": .login, "112": .apiKey,
        "114": .sshKey,
    ]
    /// The names of fields in some categories, by their IDs.
    private static let names: [ItemKind: [String: FieldName]] = [
        .card: [
            "cardholder": .fullName, "type": .cardType, "ccnum": .number, "cvv": .verificationNumber,
            "expiry": .expiryDate, "validFrom": .validFrom, "pin": .pin,
        ],
        .identity: [
            "firstname": .given, "lastname": .surname, "birthdate": .birthDate, "defphone": .telephone,
            "email": "email", "company": "company",
        ],
        .wifi: ["network_name": .ssid, "wireless_password": .passphrase],
        .apiKey: ["credential": .key, "username": .username, "hostname": .url],
    ]

    init(_ json: JSONValue, vault: String, index: Int, now: Int64) {
        self.json = json
        draft = ItemDraft(title: json["overview"]?["title"]?.stringValue, fallback: "Item \(index + 1)", now: now)
        draft.tags = [vault]
    }

    mutating func read(_ archive: ZipArchive) throws(ImportError) -> ItemDraft {
        let (details, overview) = (json["details"] ?? .null, json["overview"] ?? .null)
        draft.kind = json["categoryUuid"]?.stringValue.flatMap { Self.kinds[$0] } ?? .note
        draft.createdAt = json["createdAt"]?.wholeNumber
        draft.isFavorite = (json["favIndex"]?.wholeNumber ?? 0) > 0
        draft.notes = details["notesPlain"]?.stringValue ?? ""
        draft.tags += (overview["tags"]?.elements ?? []).compactMap(\.stringValue)
        if json["state"]?.stringValue == "archived" { draft.tags.append("Archived") }
        let urls = (overview["urls"]?.elements ?? []).compactMap { $0["url"]?.stringValue }
        for url in urls.isEmpty ? [overview["url"]?.stringValue ?? ""] : urls { draft.addSite(url) }
        for field in details["loginFields"]?.elements ?? [] { read(loginField: field) }
        if let password = details["password"]?.shownText, draft.password.isEmpty { draft.password = password }
        for entry in details["passwordHistory"]?.elements ?? [] {
            guard let password = entry["value"]?.shownText else { continue }
            let time = entry["time"]?.wholeNumber ?? 0
            draft.history.append(Password.Previous(value: SecretText(password), replacedAt: time))
        }
        for section in details["sections"]?.elements ?? [] {
            var fields: [Field] = []
            for field in section["fields"]?.elements ?? [] { try read(field, &fields, archive) }
            let label = ItemTitle.clean(section["title"]?.stringValue ?? "")
            guard !fields.isEmpty else { continue }
            if label.isEmpty {
                draft.fields += fields
            } else {
                draft.sections.append(FieldSection(label: label, fields: fields))
            }
        }
        if let document = details["documentAttributes"], !document.isVoid { try attach(document, archive) }
        if details["passkey"]?.isVoid == false || overview["passkey"]?.isVoid == false {
            draft.note(
                .skipped,
                "the passkey is left out: 1PUX files have no private keys; make a new passkey at the site"
            )
        }
        return draft
    }

    private mutating func read(loginField field: JSONValue) {
        guard let value = field["value"]?.shownText else { return }
        switch field["designation"]?.stringValue {
        case "username": draft.username = value
        case "password": draft.password = value
        default:
            // What else was on the page: check boxes and buttons say nothing.
            guard let type = field["fieldType"]?.stringValue, type != "C", type != "B", type != "I" else { return }
            draft.addField(field["name"]?.shownText ?? "", value, isConcealed: type == "P")
        }
    }

    /// One field of a section: its value is an object with the type as the only name.
    private mutating func read(_ json: JSONValue, _ fields: inout [Field], _ archive: ZipArchive) throws(ImportError) {
        guard let member = json["value"]?.objectValue?.first, !member.value.isVoid else { return }
        let label = ItemTitle.clean(json["title"]?.stringValue ?? "")
        var (text, type) = (member.value.shownText, Field.ValueType.text)
        switch member.name {
        case "totp":
            draft.addCode(text)
            return
        case "file":
            try attach(member.value, archive)
            return
        case "sshKey":
            draft.own(.privateKey, member.value["privateKey"]?.shownText, .concealed)
            draft.own("publicKey", member.value["metadata"]?["publicKey"]?.shownText)
            draft.own("fingerprint", member.value["metadata"]?["fingerprint"]?.shownText)
            return
        case "address":
            let names = ["street", "zip", "city", "state", "country"]
            text = names.compactMap { member.value[$0]?.shownText }.joined(separator: "\n")
        case "concealed", "creditCardNumber": type = .concealed
        case "email": (text, type) = (text ?? member.value["email_address"]?.shownText, .email)
        case "monthYear": (text, type) = (member.value.wholeNumber.map(Self.month), .yearMonth)
        case "date": (text, type) = (member.value.wholeNumber.flatMap(Self.day), .date)
        default: break
        }
        guard let text = text ?? (member.value.objectValue.map { JSONValue.object($0).text }), !text.isEmpty else {
            return
        }
        if let name = json["id"]?.stringValue.flatMap({ Self.names[draft.kind]?[$0] }) {
            draft.own(name, text, name == .passphrase ? .concealed : type)
        } else {
            fields.append(Field(label: label, type: type, value: .text(SecretText(text))))
        }
    }

    /// `203104` as `2031-04`.
    private static func month(_ number: Int64) -> String {
        let (year, month) = number.quotientAndRemainder(dividingBy: 100)
        return "\(year)-\(month < 10 ? "0" : "")\(month)"
    }

    /// The day of a time in seconds since 1970, in UTC.
    private static func day(_ seconds: Int64) -> String? {
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }

    /// Attaches a file of the archive: `files/ID__NAME`.
    private mutating func attach(_ file: JSONValue, _ archive: ZipArchive) throws(ImportError) {
        let (id, name) = (file["documentId"]?.stringValue ?? "", file["fileName"]?.stringValue ?? "")
        let total = draft.attachments.reduce(0) { $0 + $1.size }
        guard let content = try archive.content("files/\(id)__\(name)") else {
            draft.note(.skipped, "an attached file is not in the archive")
            return
        }
        guard content.count <= Attachment.maximumSize, draft.attachments.count < Attachment.maximumCount,
            total + content.count <= Attachment.maximumTotal
        else {
            draft.note(.skipped, "an attached file is too large; Ward keeps \(Attachment.maximumSize >> 20) MiB a file")
            return
        }
        draft.attachments.append(Attachment(name: name, content: content))
    }
}
