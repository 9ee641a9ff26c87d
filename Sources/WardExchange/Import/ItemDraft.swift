internal import WardText
internal import WardVault

/// An item of a document, while it is made.
struct ItemDraft {
    /// The time of the import, in seconds since 1970.
    let now: Int64
    var kind = ItemKind.login
    var title: String
    var sites: [Site] = []
    var username = ""
    var password = ""
    var passwordChangedAt: Int64?
    var history: [Password.Previous] = []
    var passkeys: [StoredPasskey] = []
    var codes: [OneTimePassword] = []
    var notes = ""
    /// The fields of the item's kind.
    var ownFields: [Field] = []
    /// The person's fields that are not in a group.
    var fields: [Field] = []
    /// The person's groups.
    var sections: [FieldSection] = []
    var tags: [String] = []
    var isFavorite = false
    var createdAt: Int64?
    var attachments: [Attachment] = []
    /// Data that Ward does not understand.
    var extensions: [String: [UInt8]] = [:]
    private(set) var notices: [ImportNotice] = []
    private let fallback: String

    /// Begins an item.
    ///
    /// - Parameters:
    ///   - title: The title in the file. If it is empty, the first site or the user name takes its place.
    ///   - fallback: The title if the item has none of them.
    ///   - now: The time of the import.
    init(title: String?, fallback: String, now: Int64) {
        self.title = ItemTitle.clean(title ?? "")
        self.fallback = fallback
        self.now = now
    }

    /// Adds a notice about this item.
    mutating func note(_ outcome: ImportNotice.Outcome, _ text: String) {
        notices.append(ImportNotice(place: shownTitle, outcome, text))
    }

    /// Adds the address of a page or the name of an app.
    mutating func addSite(_ text: String?, match: Site.Match = .domain) {
        guard let text = text.map(ItemTitle.clean), !text.isEmpty, text != "http://", text != "https://" else { return }
        let site: Site
        if let name = Self.removing("androidapp://", from: text) {
            site = Site(.androidApp(name), match: match)
        } else if let name = Self.removing("iosapp://", from: text) {
            site = Site(.iosApp(name), match: match)
        } else {
            site = Site(text, match: match)
        }
        if !sites.contains(site) { sites.append(site) }
    }

    /// Adds the secret of a verification code; text that is not one is kept as a field.
    mutating func addCode(_ text: String?) {
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return }
        if let code = try? OneTimePassword(text) {
            codes.append(code)
        } else {
            addField("Verification code", text, isConcealed: true)
            note(.kept, "the secret of a verification code is not understood and became a field")
        }
    }

    /// Adds a field without a group, unless it is empty.
    mutating func addField(_ label: String, _ text: String?, isConcealed: Bool = false) {
        guard let text, !text.isEmpty else { return }
        fields.append(Field(label: ItemTitle.clean(label), text: text, isConcealed: isConcealed))
    }

    /// Adds a field of the item's kind, unless it is empty.
    mutating func own(_ name: FieldName, _ text: String?, _ type: Field.ValueType = .text) {
        if let text, !text.isEmpty { ownFields.append(Field(name, text, type: type)) }
    }

    /// Adds a passkey, or a notice that says why it is left out.
    mutating func addPasskey(_ passkey: ImportedPasskey) {
        switch passkey.stored(now: now) {
        case .success(let stored): passkeys.append(stored)
        case .failure(let refusal):
            note(.skipped, "the passkey of \(ItemTitle.clean(passkey.rpID)) is left out: \(refusal.text)")
        }
    }

    /// Keeps members of the file that are not understood.
    mutating func keep(_ members: [JSONValue.Member], as name: String) {
        guard !members.isEmpty else { return }
        extensions[name] = JSONValue.object(members).serialized
        let names = members.prefix(5).map { ItemTitle.clean(String($0.name.prefix(40))) }.joined(separator: ", ")
        note(.kept, "data that Ward does not understand is kept: \(names)\(members.count > 5 ? " and more" : "")")
    }

    /// The item.
    func finished() -> Item {
        var sections = ownFields.isEmpty ? [] : [FieldSection(kind: kind, fields: ownFields)]
        sections += self.sections.filter { !$0.kind.rawValue.isEmpty }
        if !fields.isEmpty { sections.append(FieldSection(fields: fields)) }
        var seen: Set<String> = []
        var item = Item(
            kind,
            title: shownTitle,
            sites: sites,
            username: username,
            password: password.isEmpty && history.isEmpty
                ? nil
                : Password(
                    SecretText(password),
                    changedAt: passwordChangedAt ?? createdAt ?? 0,
                    history: history.sorted { $0.replacedAt > $1.replacedAt }
                ),
            passkeys: passkeys,
            codes: codes,
            notes: SecretText(notes),
            sections: sections + self.sections.filter(\.kind.rawValue.isEmpty),
            tags: tags.map(ItemTitle.clean).filter { !$0.isEmpty && seen.insert($0).inserted },
            isFavorite: isFavorite,
            createdAt: createdAt ?? 0,
            extensions: extensions
        )
        item.attachments = attachments
        return item
    }

    private var shownTitle: String {
        if !title.isEmpty { return title }
        let other = ItemTitle.clean(sites.compactMap(\.host).first ?? sites.first?.text ?? username)
        return other.isEmpty ? fallback : other
    }

    private static func removing(_ scheme: String, from text: String) -> String? {
        text.lowercased().hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
    }
}
