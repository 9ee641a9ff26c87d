internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Writes one item in the Credential Exchange Format.
struct CXFItemWriting {
    private let item: Item
    private let rest: CXFRest
    private var credentials: [JSONValue] = []
    /// Fields that have no place in a credential of the format.
    private var others: [Field] = []
    /// What the format lacks.
    private(set) var notices: [(ExportPart, ExportNotice.Outcome, String)] = []

    init(_ item: Item) {
        self.item = item
        rest = CXFRest(item.extensions[CXFRest.name])
        // The first credential says what kind of an item this is.
        if item.kind != .login { addSections() }
        addLogin()
        if item.kind == .login { addSections() }
        addOwnFields()
        addNote()
        check()
    }

    /// The item.
    var json: JSONValue {
        var members = [
            JSONValue.Member("id", .string(Base64URL.encode(item.id.bytes))),
            JSONValue.Member("creationAt", .integer(max(item.createdAt, 0))),
            JSONValue.Member("modifiedAt", .integer(max(item.modifiedAt, 0))),
            JSONValue.Member("title", .string(item.title)),
        ]
        if item.isFavorite { members.append(JSONValue.Member("favorite", true)) }
        var (urls, apps): ([JSONValue], [JSONValue]) = ([], [])
        for site in item.sites where !Self.isReference(site) {
            switch site.target {
            case .web(let address): urls.append(.string(Self.url(address)))
            case .androidApp(let name): apps.append(["bundleId": .string(name)])
            case .iosApp, .other: break
            }
        }
        if !urls.isEmpty || !apps.isEmpty {
            members.append(JSONValue.Member("scope", ["urls": .array(urls), "androidApps": .array(apps)]))
        }
        members.append(JSONValue.Member("credentials", .array(rest.applied(to: credentials))))
        if !item.tags.isEmpty { members.append(JSONValue.Member("tags", .array(item.tags.map { .string($0) }))) }
        let kept = rest.item.filter { $0.name != "id" }
        if let id = rest.item["id"]?.stringValue { members[0].value = .string(id) }
        return JSONValue.object(members).joined(with: .object(kept))
    }

    /// Whether other managers, which know no rules, would offer the item at pages where it does not belong.
    private static func isReference(_ site: Site) -> Bool { ![.domain, .host, .exact].contains(site.match) }

    /// A URL: people also write a host alone.
    private static func url(_ address: String) -> String { address.contains("://") ? address : "https://" + address }

    private mutating func add(_ type: String, _ members: [(String, JSONValue?)]) {
        let written = members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        credentials.append(.object([JSONValue.Member("type", .string(type))] + written))
    }

    /// A value with its type, section 3.4; `nil` for an empty text.
    private static func field(_ text: String, _ type: Field.ValueType = .text) -> JSONValue? {
        text.isEmpty ? nil : ["fieldType": .string(type.rawValue), "value": .string(text)]
    }

    // MARK: Logins

    private mutating func addLogin() {
        let password = item.password?.value.revealed ?? ""
        let isBare = item.kind == .login && item.passkeys.isEmpty && item.codes.isEmpty
        if !item.username.isEmpty || !password.isEmpty || isBare {
            add(
                "basic-auth",
                [("username", Self.field(item.username)), ("password", Self.field(password, .concealed))]
            )
        }
        for passkey in item.passkeys { add(passkey) }
        for code in item.codes { add(code) }
    }

    private mutating func add(_ passkey: StoredPasskey) {
        var extensions: [JSONValue.Member] = []
        if let prf = passkey.prf {
            let with = Base64URL.encode(prf.withVerification.revealed)
            // A manager with only one secret uses it in both cases.
            let without = prf.withoutVerification.map { Base64URL.encode($0.revealed) } ?? with
            let secrets: JSONValue = [
                "algorithm": "hmac-sha256", "credWithUV": .string(with), "credWithoutUV": .string(without),
            ]
            extensions.append(JSONValue.Member("hmacCredentials", secrets))
        }
        if let blob = passkey.largeBlob?.revealed, let data = Deflate.compress(blob, .none) {
            let value: JSONValue = [
                "uncompressedSize": .integer(Int64(blob.count)), "data": .string(Base64URL.encode(data)),
            ]
            extensions.append(JSONValue.Member("largeBlob", value))
        }
        add(
            "passkey",
            [
                ("credentialId", .string(Base64URL.encode(passkey.credentialID.bytes))),
                ("rpId", .string(passkey.rpID)),
                ("username", .string(passkey.userName)), ("userDisplayName", .string(passkey.userDisplayName)),
                ("userHandle", .string(Base64URL.encode(passkey.userHandle.bytes))),
                ("key", .string(Base64URL.encode(passkey.privateKey.revealed))),
                ("fido2Extensions", extensions.isEmpty ? nil : .object(extensions)),
            ]
        )
    }

    private mutating func add(_ code: OneTimePassword) {
        let period: Int
        switch code.kind {
        case .hotp:
            // The format has no counters.
            others.append(Field(label: "Verification code", text: code.link, isConcealed: true))
            return
        case .totp(let seconds): period = seconds
        case .steam: period = 30
        }
        let isSteam = code.kind == .steam
        add(
            "totp",
            [
                ("secret", .string(Base32.encode(code.secret.revealed))), ("period", .integer(Int64(period))),
                ("digits", .integer(Int64(code.digits))),
                ("username", code.account.isEmpty ? nil : .string(code.account)),
                ("algorithm", .string(isSteam ? "steam" : code.algorithm.name.lowercased())),
                ("issuer", code.issuer.isEmpty ? nil : .string(code.issuer)),
            ]
        )
        if isSteam { notices.append((.codes, .changed, "some managers cannot show Steam's codes")) }
    }

    // MARK: Fields and notes

    private mutating func addSections() {
        for section in item.sections where !section.kind.rawValue.isEmpty { add(section) }
    }

    private mutating func addOwnFields() {
        let own = item.sections.filter { $0.kind.rawValue.isEmpty }
        addFields(own.filter(\.label.isEmpty).flatMap(\.fields) + others, label: "")
        for section in own where !section.label.isEmpty { addFields(section.fields, label: section.label) }
    }

    /// Writes the group of a kind as credentials of the format, and what these cannot hold as further fields.
    private mutating func add(_ section: FieldSection) {
        var left = section.fields
        for known in CXFCredential.all where known.section == section.kind {
            var members: [(String, JSONValue?)] = []
            for slot in known.slots {
                guard let index = left.firstIndex(where: { $0.name == slot.name }),
                    let value = Self.value(left[index], slot)
                else { continue }
                members.append((slot.name.rawValue, value))
                left.remove(at: index)
            }
            if known.type == "ssh-key", !members.contains(where: { $0.0 == "privateKey" }) {
                // Without the key, which is required, the rest stays together as fields.
                left = section.fields
            } else if !members.isEmpty {
                add(known.type, Self.required(of: known.type, in: section, members))
            }
        }
        guard !left.isEmpty else { return }
        let named = left.map { field in
            var other = field
            if other.label.isEmpty { other.label = field.name.rawValue }
            return other
        }
        let own = [
            JSONValue.Member("section", .string(section.kind.rawValue)),
            JSONValue.Member("names", .array(left.map { .string($0.name.rawValue) })),
        ]
        addFields(named, label: section.label, CXFOwnExtension.member(own))
        notices.append((.fieldGroups, .changed, "fields that the format has no place for become fields of your own"))
    }

    /// Members that a credential must have.
    private static func required(
        of type: String,
        in section: FieldSection,
        _ members: [(String, JSONValue?)]
    ) -> [(String, JSONValue?)] {
        guard type == "ssh-key", !members.contains(where: { $0.0 == "keyType" }) else { return members }
        let key = section[.privateKey]?.value
        let name = (key?.bytes ?? key?.text.flatMap(Self.der)).flatMap(SSHKeyType.name(ofPrivateKey:))
        return [("keyType", .string(name ?? ""))] + members
    }

    /// The value of a field in a slot, or `nil` if it has another form than the slot demands.
    private static func value(_ field: Field, _ slot: CXFCredential.Slot) -> JSONValue? {
        if slot.name == .privateKey {
            return (field.value.bytes ?? field.value.text.flatMap(der)).map { .string(Base64URL.encode($0)) }
        }
        guard let text = field.value.text, !text.isEmpty else { return nil }
        if slot.isPlain { return .string(text) }
        return CXFValue.isValid(text, as: slot.type) ? Self.field(text, slot.type) : nil
    }

    /// The bytes of a private key in PEM, if it is PKCS#8.
    private static func der(_ pem: String) -> [UInt8]? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard lines.first == "-----BEGIN PRIVATE KEY-----", lines.last == "-----END PRIVATE KEY-----" else {
            return nil
        }
        return Base64.decode(lenient: lines.dropFirst().dropLast().joined())
    }

    private mutating func addFields(_ fields: [Field], label: String, _ own: JSONValue.Member? = nil) {
        guard !fields.isEmpty else { return }
        let values = fields.map { field -> JSONValue in
            let text = field.value.text ?? field.value.bytes.map { Base64URL.encode($0) } ?? ""
            let type = CXFValue.name(ofTypeOf: field)
            // An empty field is still a field of the person.
            var members = [
                JSONValue.Member("fieldType", .string(type.rawValue)), JSONValue.Member("value", .string(text)),
            ]
            if !field.label.isEmpty { members.append(JSONValue.Member("label", .string(field.label))) }
            if type != field.type, !CXFValue.isForeign(field.type) {
                members.append(CXFOwnExtension.member([JSONValue.Member("type", .string(field.type.rawValue))]))
            }
            return .object(members)
        }
        add(
            "custom-fields",
            [("label", label.isEmpty ? nil : .string(label)), ("fields", .array(values)), ("extensions", own?.value)]
        )
    }

    private mutating func addNote() {
        let notes = item.notes.revealed
        if !notes.isEmpty || (item.kind == .note && credentials.isEmpty && rest.unknown.isEmpty) {
            add("note", [("content", Self.field(notes) ?? ["fieldType": "string", "value": ""])])
        }
    }

    // MARK: Notices

    private mutating func check() {
        if item.sites.contains(where: { if case .iosApp = $0.target { true } else { false } }) {
            notices.append((.apps, .skipped, "the names of iOS apps are left out"))
        }
        if item.sites.contains(where: Self.isReference) {
            notices.append((.sites, .skipped, "addresses that are patterns, or that match no page, are left out"))
        }
        if item.passkeys.contains(where: { !$0.rpName.isEmpty }) {
            notices.append((.passkeyNames, .skipped, "the name that the site gave itself is lost"))
        }
        var other = item
        other.extensions[CXFRest.name] = nil
        if other.hasUnknownData { notices.append((.unknown, .skipped, ExportPart.unknown.skipped)) }
    }
}
