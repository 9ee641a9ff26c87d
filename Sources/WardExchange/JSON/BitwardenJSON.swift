internal import WardText
internal import WardVault

extension ImportFormat {
    /// The JSON of Bitwarden and Vaultwarden, plain or with a passphrase of its own.
    static let bitwardenJSON = ImportFormat(id: "bitwarden-json", title: "Bitwarden (JSON)") { source in
        let names = ImportedJSON.memberNames(source.bytes)
        return names.contains("encrypted") && !names.isDisjoint(with: ["items", "data"])
    } read: { (source) throws(ImportError) in
        var document = try ImportedJSON.document(source.bytes)
        if document["encrypted"]?.boolValue == true {
            guard document["passwordProtected"]?.boolValue == true else {
                throw ImportError(
                    .unsupported,
                    "only the Bitwarden account can open this file; export again as .json, or as .json (Encrypted) "
                        + "with the type \"Password protected\""
                )
            }
            guard let passphrase = source.passphrase else {
                throw ImportError(.passphraseNeeded, "the file has a passphrase")
            }
            let plain = try BitwardenSealing(document).open(document, passphrase: passphrase)
            document = try ImportedJSON.document(plain, name: "the decrypted file")
        }
        guard let items = document["items"]?.arrayValue else {
            throw ImportError(.malformed, "the file has no list of items")
        }
        let folders = BitwardenFolders(document)
        var file = ImportedFile()
        for (index, item) in items.enumerated() {
            var reading = BitwardenItem(item, index: index, folders: folders, now: source.now)
            let draft = reading.read()
            file.notices += draft.notices
            if !reading.isSkipped { file.items.append(draft.finished()) }
        }
        return file
    }
}

/// The names of folders and collections by their IDs.
struct BitwardenFolders {
    private var names: [String: String] = [:]

    init(_ document: JSONValue) {
        for list in ["folders", "collections"] {
            for folder in document[list]?.elements ?? [] {
                if let id = folder["id"]?.stringValue, let name = folder["name"]?.stringValue { names[id] = name }
            }
        }
    }

    /// The folder of an item, and the collections of an organisation.
    func tags(of item: JSONValue) -> [String] {
        let ids =
            [item["folderId"]?.stringValue].compactMap(\.self)
            + (item["collectionIds"]?.elements ?? [])
            .compactMap(\.stringValue)
        return ids.compactMap { names[$0] }
    }
}

/// Reads one item of Bitwarden's JSON.
struct BitwardenItem {
    private let json: JSONValue
    private var draft: ItemDraft
    private let folders: BitwardenFolders
    /// Whether the item does not come into the vault.
    private(set) var isSkipped = false

    /// Members that are understood, and those that mean something only to Bitwarden's server.
    private static let known: Set<String> = [
        "id", "object", "organizationId", "folderId", "collectionIds", "type", "name", "notes", "favorite", "fields",
        "login", "card", "identity", "sshKey", "secureNote", "passwordHistory", "creationDate", "revisionDate",
        "deletedDate", "attachments", "key", "edit", "viewPassword", "permissions",
    ]
    private static let knownOfLogin: Set<String> = [
        "uris", "uri", "username", "password", "totp", "passwordRevisionDate", "fido2Credentials",
    ]

    init(_ json: JSONValue, index: Int, folders: BitwardenFolders, now: Int64) {
        self.json = json
        self.folders = folders
        draft = ItemDraft(title: json["name"]?.stringValue, fallback: "Item \(index + 1)", now: now)
    }

    mutating func read() -> ItemDraft {
        if json["deletedDate"]?.isVoid == false {
            isSkipped = true
            draft.note(.skipped, "the item is in Bitwarden's trash")
            return draft
        }
        draft.notes = json["notes"]?.stringValue ?? ""
        draft.tags = folders.tags(of: json)
        draft.isFavorite = json["favorite"]?.boolValue ?? false
        draft.createdAt = time(json["creationDate"])
        var unknown = json.members(except: Self.known)
        switch json["type"]?.wholeNumber {
        case 1: readLogin(json["login"] ?? .null, &unknown)
        case 2: draft.kind = .note
        case 3: readCard(json["card"] ?? .null)
        case 4: readIdentity(json["identity"] ?? .null)
        case 5: readKey(json["sshKey"] ?? .null)
        default:
            draft.kind = .note
            draft.note(.changed, "the item has a type that Ward does not know, and became a note")
        }
        for field in json["fields"]?.elements ?? [] { read(field: field) }
        readHistory(json["passwordHistory"]?.elements ?? [])
        draft.keep(unknown, as: BitwardenItemWriting.own)
        return draft
    }

    private func time(_ value: JSONValue?) -> Int64? {
        value?.stringValue.flatMap { CSVTime.iso8601.read($0, now: draft.now) }
    }

    private mutating func readLogin(_ login: JSONValue, _ unknown: inout [JSONValue.Member]) {
        draft.username = login["username"]?.stringValue ?? ""
        draft.password = login["password"]?.stringValue ?? ""
        draft.passwordChangedAt = time(login["passwordRevisionDate"])
        let uris = login["uris"]?.elements ?? []
        for uri in uris {
            let match = match(uri["match"]?.wholeNumber)
            draft.addSite(uri["uri"]?.stringValue, match: match)
        }
        if uris.isEmpty { draft.addSite(login["uri"]?.stringValue) }
        draft.addCode(login["totp"]?.stringValue)
        for credential in login["fido2Credentials"]?.elements ?? [] { read(passkey: credential) }
        let members = login.members(except: Self.knownOfLogin)
        if !members.isEmpty { unknown.append(JSONValue.Member("login", .object(members))) }
    }

    /// Bitwarden's number for a rule.
    private mutating func match(_ number: Int64?) -> Site.Match {
        switch number {
        case nil, 0: return .domain
        case 1: return .host
        case 3: return .exact
        case 5: return .never
        case 2: return kept("starts-with")
        case 4: return kept("regular-expression")
        case let number?: return kept("bitwarden-\(number)")
        }
    }

    private mutating func kept(_ rule: String) -> Site.Match {
        draft.note(.kept, "a site with the rule \(rule) is kept, but Ward does not match it")
        return Site.Match(rawValue: rule)
    }

    private mutating func read(passkey json: JSONValue) {
        let rpID = json["rpId"]?.stringValue ?? ""
        draft.addPasskey(
            ImportedPasskey(
                credentialID: json["credentialId"]?.stringValue.flatMap(Self.credentialID) ?? [],
                rpID: rpID,
                rpName: json["rpName"]?.stringValue ?? "",
                userHandle: json["userHandle"]?.stringValue.flatMap(Base64.decode(lenient:)) ?? [],
                userName: json["userName"]?.stringValue ?? "",
                userDisplayName: json["userDisplayName"]?.stringValue ?? "",
                privateKey: json["keyValue"]?.stringValue.flatMap(Base64.decode(lenient:)) ?? [],
                counter: json["counter"].map { $0.isVoid ? 0 : $0.wholeNumber ?? -1 } ?? 0,
                createdAt: time(json["creationDate"])
            )
        )
    }

    /// The bytes of a GUID, or the bytes after `b64.`.
    private static func credentialID(_ text: String) -> [UInt8]? {
        if text.hasPrefix("b64.") { return Base64.decode(lenient: String(text.dropFirst(4))) }
        guard let bytes = Hex.decode(text.filter { $0 != "-" }.lowercased()), bytes.count == 16 else { return nil }
        return bytes
    }

    private mutating func readCard(_ card: JSONValue) {
        draft.kind = .card
        draft.own(.number, card["number"]?.shownText, .concealed)
        draft.own(.fullName, card["cardholderName"]?.shownText)
        draft.own(.cardType, card["brand"]?.shownText)
        draft.own(.verificationNumber, card["code"]?.shownText, .concealed)
        let (month, year) = (card["expMonth"]?.shownText ?? "", card["expYear"]?.shownText ?? "")
        if let number = Int(month), (1...12).contains(number), year.utf8.count == 4, Int(year) != nil {
            draft.own(.expiryDate, "\(year)-\(number < 10 ? "0" : "")\(number)", .yearMonth)
        } else {
            draft.addField("Expiry month", month)
            draft.addField("Expiry year", year)
        }
    }

    /// The members of an identity that are one field here.
    static let identityMembers: [(String, FieldName)] = [
        ("title", "title"), ("firstName", .given), ("middleName", "given2"), ("lastName", .surname),
        ("company", "company"), ("email", "email"), ("phone", .telephone), ("city", .city), ("state", .territory),
        ("postalCode", .postalCode), ("country", .country), ("passportNumber", .passportNumber),
        ("licenseNumber", .licenseNumber),
    ]

    private mutating func readIdentity(_ identity: JSONValue) {
        draft.kind = .identity
        draft.username = identity["username"]?.stringValue ?? ""
        for (member, name) in Self.identityMembers {
            draft.own(name, identity[member]?.shownText, member == "email" ? .email : .text)
        }
        let lines = ["address1", "address2", "address3"].compactMap { identity[$0]?.shownText }
        draft.own(.streetAddress, lines.joined(separator: "\n"))
        draft.own("identificationNumber", identity["ssn"]?.shownText, .concealed)
    }

    private mutating func readKey(_ key: JSONValue) {
        draft.kind = .sshKey
        draft.own(.privateKey, key["privateKey"]?.shownText, .concealed)
        draft.own("publicKey", key["publicKey"]?.shownText)
        draft.own("fingerprint", key["keyFingerprint"]?.shownText)
    }

    /// A custom field: text, hidden, yes or no, or a link to another value of the item.
    private mutating func read(field: JSONValue) {
        let label = field["name"]?.shownText ?? ""
        let value = field["value"]?.shownText ?? ""
        switch field["type"]?.wholeNumber {
        case 1: draft.fields.append(Field(label: ItemTitle.clean(label), text: value, isConcealed: true))
        case 2:
            draft.fields.append(
                Field(label: ItemTitle.clean(label), type: .boolean, value: .text(SecretText(value)))
            )
        case 3:
            let target = field["linkedId"]?.wholeNumber.map(String.init) ?? ""
            draft.fields.append(
                Field(label: ItemTitle.clean(label), type: "bitwarden-linked", value: .text(SecretText(target)))
            )
            draft.note(.kept, "a field that is linked to another value is kept, but Ward does not fill it")
        default: draft.fields.append(Field(label: ItemTitle.clean(label), text: value))
        }
    }

    private mutating func readHistory(_ entries: [JSONValue]) {
        for entry in entries {
            guard let password = entry["password"]?.stringValue, !password.isEmpty else { continue }
            let replaced = time(entry["lastUsedDate"]) ?? 0
            draft.history.append(Password.Previous(value: SecretText(password), replacedAt: replaced))
        }
        if draft.history.count > Password.maximumHistory {
            draft.note(
                .skipped,
                "of \(draft.history.count) earlier passwords the latest \(Password.maximumHistory) are kept"
            )
        }
    }
}
