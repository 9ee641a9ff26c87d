internal import WardVault

/// The item of a row, while it is made.
struct CSVDraft {
    let row: CSVRow
    let now: Int64
    var kind: ItemKind?
    var title = ""
    var sites: [Site] = []
    var username = ""
    var password = ""
    var notes = ""
    var codes: [OneTimePassword] = []
    var fields: [Field] = []
    /// The fields of the item's kind.
    var ownFields: [Field] = []
    var tags: [String] = []
    var isFavorite = false
    var createdAt: Int64?
    var changedAt: Int64?
    /// Whether the row does not become an item.
    var isSkipped = false
    private(set) var notices: [ImportNotice] = []
    /// The columns with values that are not imported.
    private(set) var ignored: Set<String> = []

    init(_ row: CSVRow, now: Int64) { (self.row, self.now) = (row, now) }

    /// Takes the values over by a table of columns.
    mutating func fill(_ columns: [String: CSVColumn]) {
        for (index, value) in row.values.enumerated() where !value.isEmpty {
            guard row.names.indices.contains(index) else {
                fields.append(Field(label: "Column \(index + 1)", text: value))
                continue
            }
            take(value, row.labels[index], columns[row.names[index]] ?? .field(row.labels[index]))
        }
    }

    private mutating func take(_ value: String, _ label: String, _ column: CSVColumn) {
        switch column {
        case .title: title = value
        case .site: addSite(value)
        case .username: username = value
        case .password: password = value
        case .notes: notes = notes.isEmpty ? value : notes + "\n\n" + value
        case .code: addCode(value)
        case .tag: tags.append(value)
        case .tags: tags += Self.list(value, separators: ",;")
        case .favorite: isFavorite = ["1", "true", "yes", "y"].contains(value.lowercased())
        case .created(let form): time(value, form, \.createdAt, "Created")
        case .changed(let form): time(value, form, \.changedAt, "Changed")
        case .field(let label, let type):
            fields.append(Field(label: label, type: type, value: .text(SecretText(value))))
        case .own: break
        case .internalValue: ignored.insert(label)
        }
    }

    /// Adds a note about this row.
    mutating func note(_ outcome: ImportNotice.Outcome, _ text: String) {
        notices.append(ImportNotice(place: "row \(row.number)", outcome, text))
    }

    /// Adds a site from a page's address or an app's name.
    mutating func addSite(_ text: String) {
        let text = text.trimmedSpace
        guard !text.isEmpty, text != "http://", text != "https://" else { return }
        let site: Site
        if let name = text.removingScheme("androidapp") {
            site = Site(.androidApp(name))
        } else if let name = text.removingScheme("android") {
            // Chromium writes android://HASH@PACKAGE/.
            let package = name.split(separator: "@").last.map(String.init) ?? name
            site = Site(.androidApp(package.hasSuffix("/") ? String(package.dropLast()) : package))
        } else if let name = text.removingScheme("iosapp") {
            site = Site(.iosApp(name))
        } else {
            site = Site(text)
        }
        if !sites.contains(where: { $0.target == site.target }) { sites.append(site) }
    }

    /// Adds a verification code; text that is none is kept as a field.
    mutating func addCode(_ text: String) {
        guard !text.trimmedSpace.isEmpty else { return }
        if let code = try? OneTimePassword(text) {
            codes.append(code)
        } else {
            fields.append(Field(label: "Verification code", text: text, isConcealed: true))
            note(.kept, "the secret of a verification code is not understood and became a field")
        }
    }

    /// Adds a field of the item's kind, unless it is empty.
    mutating func own(_ name: FieldName, _ text: String, _ type: Field.ValueType = .text) {
        if !text.isEmpty { ownFields.append(Field(name, text, type: type)) }
    }

    private mutating func time(
        _ text: String,
        _ form: CSVTime,
        _ path: WritableKeyPath<CSVDraft, Int64?>,
        _ label: String
    ) {
        if let time = form.read(text, now: now) {
            self[keyPath: path] = time
        } else if text != "0" {
            fields.append(Field(label: label, text: text))
        }
    }

    /// The parts of a list without white space around them.
    static func list(_ text: String, separators: String) -> [String] {
        text.split { separators.contains($0) }.map { String($0).trimmedSpace }.filter { !$0.isEmpty }
    }

    /// The item; `nil` for a row that is left out.
    func finished() -> Item? {
        guard !isSkipped else { return nil }
        let hasSecret = !password.isEmpty || !codes.isEmpty || !username.isEmpty || !sites.isEmpty
        let kind = kind ?? (hasSecret || notes.isEmpty ? .login : .note)
        var sections = ownFields.isEmpty ? [] : [FieldSection(kind: kind, fields: ownFields)]
        if !fields.isEmpty { sections.append(FieldSection(fields: fields)) }
        var seen: Set<String> = []
        return Item(
            kind,
            title: cleanTitle,
            sites: sites,
            username: username,
            password: password.isEmpty
                ? nil : Password(SecretText(password), changedAt: changedAt ?? createdAt ?? 0),
            codes: codes,
            notes: SecretText(notes),
            sections: sections,
            tags: tags.filter { seen.insert($0).inserted },
            isFavorite: isFavorite,
            createdAt: createdAt ?? 0
        )
    }

    private var cleanTitle: String {
        let clean = ItemTitle.clean(title)
        if !clean.isEmpty { return clean }
        let other = sites.compactMap(\.host).first ?? sites.first?.text ?? username
        return other.isEmpty ? "Row \(row.number)" : ItemTitle.clean(other)
    }
}

extension String {
    /// The text without white space at either end.
    var trimmedSpace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    /// The text after `scheme://`, or `nil` if the text has another scheme.
    func removingScheme(_ scheme: String) -> String? {
        let prefix = scheme + "://"
        guard lowercased().hasPrefix(prefix) else { return nil }
        return String(dropFirst(prefix.count))
    }
}
