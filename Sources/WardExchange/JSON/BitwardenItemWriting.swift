internal import Foundation
internal import WardCOSE
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Writes one item in Bitwarden's JSON.
struct BitwardenItemWriting {
    private let item: Item
    private let folder: String?
    private var fields: [JSONValue] = []
    /// The members of the item's kind.
    private var body: (type: Int64, name: String, members: JSONValue) = (2, "secureNote", ["type": 0])
    /// What the format lacks.
    private(set) var notices: [(ExportPart, ExportNotice.Outcome, String)] = []

    /// - Parameters:
    ///   - item: The item.
    ///   - folder: The ID of its folder.
    init(_ item: Item, folder: String?) {
        self.item = item
        self.folder = folder
        var left = item.sections.filter { !$0.kind.rawValue.isEmpty }.flatMap(\.fields)
        switch item.kind {
        case .login: body = (1, "login", login())
        case .card: body = (3, "card", card(&left))
        case .identity: body = (4, "identity", identity(&left))
        case .sshKey: addKey(&left)
        case .note: break
        default: notices.append((.kind, .changed, "the item becomes a note with fields"))
        }
        if item.kind != .login { addLoginFields() }
        addFields(left)
        check()
    }

    /// The item.
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            JSONValue.Member("passwordHistory", history.isEmpty ? .null : .array(history)),
            JSONValue.Member("revisionDate", Self.time(item.modifiedAt)),
            JSONValue.Member("creationDate", Self.time(item.createdAt)), JSONValue.Member("deletedDate", .null),
            JSONValue.Member("id", .string(BitwardenExport.guid(item.id.bytes))),
            JSONValue.Member("organizationId", .null),
            JSONValue.Member("folderId", folder.map { .string($0) } ?? .null),
            JSONValue.Member("type", .integer(body.type)), JSONValue.Member("name", .string(item.title)),
            JSONValue.Member("notes", item.notes.isEmpty ? .null : .string(item.notes.revealed)),
            JSONValue.Member("favorite", .bool(item.isFavorite)), JSONValue.Member(body.name, body.members),
            JSONValue.Member("collectionIds", .null),
        ]
        if !fields.isEmpty { members.append(JSONValue.Member("fields", .array(fields))) }
        let kept = item.extensions[Self.own].flatMap { try? ImportedJSON.document($0) } ?? .object([])
        let whole = JSONValue.object(members).joined(with: kept)
        return whole["reprompt"] == nil ? whole.joined(with: ["reprompt": 0]) : whole
    }

    /// The name under which an import keeps what Ward does not understand.
    static let own = "com.bitwarden"

    private static func time(_ seconds: Int64) -> JSONValue {
        .string(Date(timeIntervalSince1970: Double(max(seconds, 0))).formatted(.iso8601))
    }

    private var history: [JSONValue] {
        (item.password?.history ?? []).map {
            ["lastUsedDate": Self.time($0.replacedAt), "password": .string($0.value.revealed)]
        }
    }

    // MARK: Logins

    private mutating func login() -> JSONValue {
        var uris: [JSONValue] = []
        for site in item.sites {
            let address: String? =
                switch site.target {
                case .web(let address): address
                case .androidApp(let name): "androidapp://" + name
                case .iosApp(let name): "iosapp://" + name
                case .other: nil
                }
            guard let address else { continue }
            uris.append(["match": match(site.match).map { .integer($0) } ?? .null, "uri": .string(address)])
        }
        let passkeys = item.passkeys.filter { Self.algorithms.contains($0.algorithm) }
        if passkeys.count < item.passkeys.count {
            notices.append((.passkeys, .skipped, "passkeys with other keys than those of the curve P-256 are left out"))
        }
        let first = item.codes.first { if case .hotp = $0.kind { false } else { true } }
        for code in item.codes where code != first { addField("Verification code", code.link, 1) }
        return [
            "fido2Credentials": .array(passkeys.map(Self.json)), "uris": .array(uris),
            "username": item.username.isEmpty ? .null : .string(item.username),
            "password": item.password.map { .string($0.value.revealed) } ?? .null,
            "totp": first.map { .string(Self.link($0)) } ?? .null,
        ]
    }

    private static let algorithms: Set<COSEAlgorithmIdentifier> = [.es256, .esp256]

    private static func link(_ code: OneTimePassword) -> String {
        code.kind == .steam ? "steam://" + Base32.encode(code.secret.revealed) : code.link
    }

    /// Bitwarden's number for a rule; `nil` for its usual one.
    private mutating func match(_ match: Site.Match) -> Int64? {
        switch match {
        case .domain: return nil
        case .host: return 1
        case .exact: return 3
        case .never: return 5
        default:
            let names: [String: Int64] = ["starts-with": 2, "regular-expression": 4]
            if let number = names[match.rawValue] { return number }
            notices.append((.match, .changed, "a site has a rule that Bitwarden does not have, and matches nothing"))
            return 5
        }
    }

    private static func json(_ passkey: StoredPasskey) -> JSONValue {
        let id = passkey.credentialID.bytes
        return [
            "credentialId": .string(id.count == 16 ? BitwardenExport.guid(id) : "b64." + Base64URL.encode(id)),
            "keyType": "public-key", "keyAlgorithm": "ECDSA", "keyCurve": "P-256",
            "keyValue": .string(Base64URL.encode(passkey.privateKey.revealed)), "rpId": .string(passkey.rpID),
            "userHandle": .string(Base64URL.encode(passkey.userHandle.bytes)), "userName": .string(passkey.userName),
            "counter": "0", "rpName": .string(passkey.rpName), "userDisplayName": .string(passkey.userDisplayName),
            "discoverable": "true", "creationDate": time(passkey.createdAt),
        ]
    }

    /// The parts of a login in an item of another kind.
    private mutating func addLoginFields() {
        if item.kind != .identity { addField("User name", item.username, 0) }
        addField("Password", item.password?.value.revealed ?? "", 1)
        for code in item.codes { addField("Verification code", code.link, 1) }
        for site in item.sites { addField("Site", site.text, 0) }
        if !item.passkeys.isEmpty { notices.append((.passkeys, .skipped, ExportPart.passkeys.skipped)) }
    }

    // MARK: Other kinds

    /// Takes the text of a field out of the list.
    private static func take(_ name: FieldName, _ left: inout [Field]) -> String? {
        guard let index = left.firstIndex(where: { $0.name == name }), let text = left[index].value.text else {
            return nil
        }
        left.remove(at: index)
        return text
    }

    private static func value(_ name: FieldName, _ left: inout [Field]) -> JSONValue {
        take(name, &left).map { .string($0) } ?? .null
    }

    private func card(_ left: inout [Field]) -> JSONValue {
        var (month, year): (JSONValue, JSONValue) = (.null, .null)
        if let index = left.firstIndex(where: { $0.name == .expiryDate }), let text = left[index].value.text,
            text.utf8.count == 7, text.dropFirst(4).first == "-", UInt16(text.prefix(4)) != nil,
            let number = UInt8(text.suffix(2)), (1...12).contains(number)
        {
            (month, year) = (.string(String(number)), .string(String(text.prefix(4))))
            left.remove(at: index)
        }
        return [
            "cardholderName": Self.value(.fullName, &left), "brand": Self.value(.cardType, &left),
            "number": Self.value(.number, &left), "expMonth": month, "expYear": year,
            "code": Self.value(.verificationNumber, &left),
        ]
    }

    private func identity(_ left: inout [Field]) -> JSONValue {
        var members = BitwardenItem.identityMembers.map { JSONValue.Member($0.0, Self.value($0.1, &left)) }
        let lines = Self.take(.streetAddress, &left)?.split(separator: "\n", maxSplits: 2).map(String.init) ?? []
        for index in 0..<3 {
            let line = index < lines.count ? JSONValue.string(lines[index]) : .null
            members.append(JSONValue.Member("address\(index + 1)", line))
        }
        members.append(JSONValue.Member("ssn", Self.value("identificationNumber", &left)))
        members.append(JSONValue.Member("username", item.username.isEmpty ? .null : .string(item.username)))
        return .object(members)
    }

    /// Bitwarden takes keys in the form of OpenSSH, with the public key and its fingerprint.
    private mutating func addKey(_ left: inout [Field]) {
        let names: [FieldName] = [.privateKey, "publicKey", "fingerprint"]
        let isWhole = names.allSatisfy { name in left.contains { $0.name == name && $0.value.text != nil } }
        guard isWhole else {
            notices.append((.kind, .changed, "the key becomes a note with fields"))
            return
        }
        body = (
            5, "sshKey",
            [
                "privateKey": Self.value(names[0], &left), "publicKey": Self.value(names[1], &left),
                "keyFingerprint": Self.value(names[2], &left),
            ]
        )
    }

    // MARK: Fields

    private mutating func addField(_ name: String, _ text: String, _ type: Int64) {
        guard !text.isEmpty else { return }
        fields.append(["name": .string(name), "value": .string(text), "type": .integer(type), "linkedId": .null])
    }

    /// The fields that have no place of their own, then those of the person.
    private mutating func addFields(_ left: [Field]) {
        for field in left {
            add(field, name: field.label.isEmpty ? field.name.rawValue : field.label)
        }
        for section in item.sections where section.kind.rawValue.isEmpty {
            for field in section.fields {
                add(field, name: section.label.isEmpty ? field.label : "\(section.label): \(field.label)")
            }
        }
        if !left.isEmpty || item.sections.contains(where: { $0.kind.rawValue.isEmpty && !$0.label.isEmpty }) {
            let text = "groups of fields, and fields that Bitwarden has no place for, become fields without a group"
            notices.append((.fieldGroups, .changed, text))
        }
    }

    private mutating func add(_ field: Field, name: String) {
        let text = field.value.text ?? field.value.bytes.map { Base64.encode($0) } ?? ""
        let type: Int64
        var linked = JSONValue.null
        switch field.type {
        case .boolean where text == "true" || text == "false": type = 2
        case "bitwarden-linked":
            type = 3
            linked = Int64(text).map { .integer($0) } ?? .null
        default: type = field.isConcealed ? 1 : 0
        }
        let value = type == 3 ? JSONValue.null : .string(text)
        fields.append(["name": .string(name), "value": value, "type": .integer(type), "linkedId": linked])
    }

    // MARK: Notices

    private mutating func check() {
        var other = item
        other.extensions[Self.own] = nil
        if other.hasUnknownData { notices.append((.unknown, .skipped, ExportPart.unknown.skipped)) }
    }
}
