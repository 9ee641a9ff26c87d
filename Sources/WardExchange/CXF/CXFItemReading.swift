internal import WardText
internal import WardVault

/// Reads one item of the Credential Exchange Format.
struct CXFItemReading {
    private let json: JSONValue
    private let isLinked: Bool
    private let now: Int64
    private var draft: ItemDraft
    private var rest = CXFRest()
    /// The kind of the first credential that is not a note.
    private var kind: ItemKind?
    /// Whether a user name and a password were read.
    private var hasBasic = false
    /// Entries for further pairs of user name and password.
    private var further: [ItemDraft] = []

    private static let form = CXFForm.object([
        "creationAt": .whole, "modifiedAt": .whole, "title": .whole, "favorite": .whole, "tags": .whole,
        "credentials": .whole,
        "scope": .object(["urls": .whole, "androidApps": .array(.object(["bundleId": .whole]))]),
    ])

    init(_ json: JSONValue, index: Int, collections: CXFCollections, isLinked: Bool, now: Int64) {
        (self.json, self.isLinked, self.now) = (json, isLinked, now)
        draft = ItemDraft(title: json["title"]?.shownText, fallback: "Item \(index + 1)", now: now)
        draft.isFavorite = json["favorite"]?.boolValue ?? false
        draft.tags = collections[json["id"]?.stringValue] + (json["tags"]?.elements ?? []).compactMap(\.shownText)
        draft.createdAt = Self.time(json["creationAt"])
        draft.passwordChangedAt = Self.time(json["modifiedAt"])
    }

    /// The time of a member in seconds since 1970; the times before that are zeros of other calendars.
    private static func time(_ value: JSONValue?) -> Int64? {
        guard let time = value?.wholeNumber, time > 0, time < 1 << 40 else { return nil }
        return time
    }

    mutating func read() -> [ItemDraft] {
        for url in json["scope"]?["urls"]?.elements ?? [] { draft.addSite(url.stringValue) }
        for app in json["scope"]?["androidApps"]?.elements ?? [] {
            if let name = app["bundleId"]?.shownText { draft.addSite("androidapp://" + name) }
        }
        for credential in json["credentials"]?.elements ?? [] { read(credential) }
        draft.kind = kind ?? .note
        if draft.sites.isEmpty {
            for passkey in draft.passkeys { draft.addSite("https://" + passkey.rpID) }
        }
        keepRest()
        return [draft] + further
    }

    private mutating func keepRest() {
        var form = Self.form
        if !isLinked, case .object(var members) = form {
            members["id"] = .whole
            form = .object(members)
        }
        if case .object(let members)? = CXFRest.difference(json, form) { rest.item = members }
        guard let bytes = rest.serialized else { return }
        draft.extensions[CXFRest.name] = bytes
        let names = rest.names
        let shown = names.prefix(5).map { ItemTitle.clean(String($0.prefix(40))) }.joined(separator: ", ")
        let text = "data that Ward does not understand is kept: \(shown)\(names.count > 5 ? " and more" : "")"
        draft.note(.kept, text)
    }

    private mutating func read(_ credential: JSONValue) {
        guard let type = credential["type"]?.stringValue else {
            rest.unknown.append(credential)
            return
        }
        switch type {
        case "basic-auth": readBasic(credential)
        case "passkey": readPasskey(credential)
        case "totp": readCode(credential)
        case "note": readNote(credential)
        case "generated-password":
            kind = kind ?? .login
            let password = text(credential["password"])
            if draft.password.isEmpty, draft.username.isEmpty {
                draft.password = password ?? ""
            } else if password != draft.password {
                draft.addField("Generated password", password, isConcealed: true)
            }
        case "custom-fields": readFields(credential)
        case "file":
            let name = ItemTitle.clean(credential["name"]?.shownText ?? "")
            draft.note(.skipped, "the attached file \(name) is not in this file; export it by itself")
            rest.unknown.append(credential)
        default:
            if let known = CXFCredential.named(type) {
                read(credential, known)
            } else {
                rest.unknown.append(credential)
            }
        }
    }

    // MARK: Logins

    private mutating func readBasic(_ credential: JSONValue) {
        kind = kind ?? .login
        let (username, password) = (text(credential["username"]) ?? "", text(credential["password"]) ?? "")
        if hasBasic {
            guard username != draft.username || password != draft.password else { return }
            var other = ItemDraft(title: draft.title, fallback: draft.title, now: now)
            (other.sites, other.tags, other.createdAt) = (draft.sites, draft.tags, draft.createdAt)
            (other.username, other.password) = (username, password)
            other.passwordChangedAt = draft.passwordChangedAt
            other.note(.changed, "a further user name and password of the item became an entry of its own")
            further.append(other)
            return
        }
        hasBasic = true
        (draft.username, draft.password) = (username, password)
        let form = CXFForm.object(["type": .whole, "username": .field, "password": .field])
        rest.keep(credential, type: "basic-auth", known: form)
    }

    private mutating func readPasskey(_ credential: JSONValue) {
        kind = kind ?? .login
        func bytes(_ value: JSONValue?) -> [UInt8] { value?.stringValue.flatMap(Base64.decode(lenient:)) ?? [] }
        let userName = credential["username"] ?? credential["userName"]
        let extensions = credential["fido2Extensions"]
        var passkey = ImportedPasskey(
            credentialID: bytes(credential["credentialId"]),
            rpID: credential["rpId"]?.stringValue ?? "",
            userHandle: bytes(credential["userHandle"]),
            userName: text(userName) ?? "",
            userDisplayName: text(credential["userDisplayName"]) ?? "",
            privateKey: bytes(credential["key"]),
            createdAt: draft.createdAt
        )
        passkey.prf = secrets(extensions, bytes)
        if let blob = extensions?["largeBlob"], let size = blob["uncompressedSize"]?.wholeNumber {
            passkey.largeBlob = Self.content(of: bytes(blob["data"]), size: size)
            if passkey.largeBlob == nil {
                let site = ItemTitle.clean(passkey.rpID)
                draft.note(.skipped, "the data that \(site) stored with its passkey is damaged and left out")
            }
        }
        let count = draft.passkeys.count
        draft.addPasskey(passkey)
        guard draft.passkeys.count > count else { return }
        if draft.username.isEmpty, !hasBasic { draft.username = passkey.userName }
        let form = CXFForm.object([
            "type": .whole, "credentialId": .whole, "rpId": .whole, "username": .whole, "userName": .whole,
            "userDisplayName": .whole, "userHandle": .whole, "key": .whole,
            "fido2Extensions": .object(["hmacCredentials": .whole, "hmacSecret": .whole, "largeBlob": .whole]),
        ])
        rest.keep(credential, type: "passkey", known: form)
    }

    /// The secrets for `prf`; drafts of the format had only one.
    private mutating func secrets(
        _ extensions: JSONValue?,
        _ bytes: (JSONValue?) -> [UInt8]
    ) -> StoredPasskey.PRFSecrets? {
        guard let source = extensions?["hmacCredentials"] ?? extensions?["hmacSecret"] else { return nil }
        let with = bytes(source["credWithUV"] ?? source["credWithUv"] ?? source["secret"])
        let without = bytes(source["credWithoutUV"] ?? source["credWithoutUv"])
        let algorithms = ["hmac-sha256", "HS256", "HMAC-SHA256"]
        guard with.count == 32, without.isEmpty || without.count == 32,
            source["algorithm"]?.stringValue.map(algorithms.contains) ?? true
        else {
            draft.note(.skipped, "the passkey's secrets for prf have an unknown form and are left out")
            return nil
        }
        return StoredPasskey.PRFSecrets(
            withVerification: SecretBytes(with),
            withoutVerification: without.isEmpty ? nil : SecretBytes(without)
        )
    }

    /// The content of a large blob, which is compressed (WebAuthn Level 3, section 10.1.5).
    private static func content(of data: [UInt8], size: Int64) -> SecretBytes? {
        guard (0...Int64(ImportedPasskey.maximumLargeBlob)).contains(size),
            let content = try? Deflate.decompress(
                data[...],
                .none,
                limit: ImportedPasskey.maximumLargeBlob,
                name: "a large blob"
            ), content.count == Int(size)
        else { return nil }
        return SecretBytes(content)
    }

    private mutating func readCode(_ credential: JSONValue) {
        kind = kind ?? .login
        let algorithm = (credential["algorithm"]?.shownText ?? "sha1").lowercased().filter { $0 != "-" }
        let isSteam = algorithm == "steam"
        let kind = isSteam ? OneTimePassword.Kind.steam : .totp(period: count(credential["period"], 30))
        guard let secret = text(credential["secret"]).flatMap(Base32.decode),
            let hash = OneTimePassword.Algorithm.allCases.first(where: {
                $0.name.lowercased() == (isSteam ? "sha1" : algorithm)
            }),
            let code = try? OneTimePassword(
                kind,
                secret: secret,
                algorithm: hash,
                digits: count(credential["digits"], isSteam ? 5 : 6),
                issuer: text(credential["issuer"]) ?? "",
                account: text(credential["username"] ?? credential["userName"]) ?? ""
            )
        else {
            draft.note(.kept, "a verification code is of a kind that Ward does not know, and shows no codes here")
            rest.unknown.append(credential)
            return
        }
        draft.codes.append(code)
        let names = ["type", "secret", "period", "digits", "username", "userName", "algorithm", "issuer"]
        let form = Dictionary(uniqueKeysWithValues: names.map { ($0, CXFForm.whole) })
        rest.keep(credential, type: "totp", known: .object(form))
    }

    private func count(_ value: JSONValue?, _ usual: Int) -> Int {
        value.flatMap { $0.isVoid ? nil : $0.wholeNumber }.map { Int(clamping: $0) } ?? usual
    }

    // MARK: Notes and fields

    private mutating func readNote(_ credential: JSONValue) {
        guard let content = text(credential["content"]), !content.isEmpty else { return }
        if draft.notes.isEmpty {
            draft.notes = content
            let form = CXFForm.object(["type": .whole, "content": .field])
            rest.keep(credential, type: "note", known: form)
        } else if draft.notes != content {
            draft.notes += "\n\n" + content
        }
    }

    private mutating func readFields(_ credential: JSONValue) {
        let label = ItemTitle.clean(text(credential["label"]) ?? "")
        let section = CXFOwnExtension.value("section", of: credential)?.stringValue ?? ""
        let names = CXFOwnExtension.value("names", of: credential)?.elements ?? []
        var fields: [Field] = []
        for (index, json) in (credential["fields"]?.elements ?? []).enumerated() {
            let value = text(json) ?? ""
            if value.lowercased().hasPrefix("otpauth:"), let code = try? OneTimePassword(value) {
                kind = kind ?? .login
                draft.codes.append(code)
                continue
            }
            let type = CXFOwnExtension.value("type", of: json)?.stringValue
            var field = Field(
                label: ItemTitle.clean(json["label"]?.shownText ?? ""),
                type: type.map { Field.ValueType(rawValue: $0) }
                    ?? CXFValue.type(named: json["fieldType"]?.stringValue ?? ""),
                value: .text(SecretText(value))
            )
            if !section.isEmpty, index < names.count, let name = names[index].stringValue {
                field.name = FieldName(rawValue: name)
                if field.label == name { field.label = "" }
            }
            fields.append(field)
        }
        guard !fields.isEmpty else { return }
        if !section.isEmpty {
            let owner = ItemKind(rawValue: section)
            if ItemKind.known.contains(owner) { kind = kind ?? owner }
            add(fields, to: owner)
        } else if label.isEmpty {
            draft.fields += fields
        } else {
            draft.sections.append(FieldSection(label: label, fields: fields))
        }
        let form = CXFForm.object(["type": .whole, "id": .whole, "label": .whole, "fields": .array(.field)])
        guard case .object(var members) = CXFOwnExtension.removed(from: credential) else { return }
        if let index = members.firstIndex(where: { $0.name == "fields" }) {
            members[index].value = .array(members[index].value.elements.map(CXFOwnExtension.removed))
        }
        rest.keep(.object(members), type: "custom-fields", known: form)
    }

    private mutating func read(_ credential: JSONValue, _ known: CXFCredential) {
        kind = kind ?? known.kind
        var form: [String: CXFForm] = ["type": .whole]
        var fields: [Field] = []
        for slot in known.slots {
            form[slot.name.rawValue] = slot.isPlain ? .whole : .field
            guard var value = text(credential[slot.name.rawValue]), !value.isEmpty else { continue }
            if slot.type == .networkSecurity { value = CXFValue.security(value) }
            if known.type == "ssh-key", slot.name == .privateKey, let der = Base64.decode(lenient: value) {
                fields.append(Field(slot.name, type: slot.type, value: .bytes(SecretBytes(der))))
            } else {
                fields.append(Field(slot.name, value, type: slot.type))
            }
        }
        if known.type == "ssh-key" { correctKeyType(&fields) }
        add(fields, to: known.section)
        rest.keep(credential, type: known.type, known: .object(form))
    }

    /// Adds fields of a kind, or a group of their own if the item has other values under the same names.
    private mutating func add(_ fields: [Field], to section: ItemKind) {
        guard !fields.isEmpty else { return }
        if let index = draft.sections.firstIndex(where: { $0.kind == section }) {
            let names = Set(draft.sections[index].fields.map(\.name))
            if fields.allSatisfy({ !names.contains($0.name) }) {
                draft.sections[index].fields += fields
                return
            }
        }
        draft.sections.append(FieldSection(kind: section, fields: fields))
    }

    /// A known exporter names all keys `ssh-rsa`; the key itself says what it is.
    private mutating func correctKeyType(_ fields: inout [Field]) {
        guard let index = fields.firstIndex(where: { $0.name == .keyType }),
            let key = fields.first(where: { $0.name == .privateKey })?.value.bytes,
            let name = SSHKeyType.name(ofPrivateKey: key), fields[index].value.text != name
        else { return }
        fields[index].value = .text(SecretText(name))
        draft.note(.changed, "the type of the key was wrong in the file; it is \(name)")
    }

    /// The text of a value: an object with a type, or the text alone as in drafts of the format.
    private func text(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        return value.objectValue == nil ? value.shownText : value["value"]?.shownText
    }
}
