import WardAgentClient

/// The values of an item that a person can edit.
struct ItemDraft: Equatable {
    /// A field of the item.
    struct Field: Equatable {
        var label: String
        var value: String
        var isConcealed: Bool
    }

    /// A site of the item.
    struct Site: Equatable {
        var address: String
        var match = "domain"
    }

    /// A value that has one line in the editor and one question on the terminal.
    struct Line: Sendable {
        /// The name of the value, which is before the colon in the editor.
        let word: String
        /// The name of the value in the question.
        ///
        /// It is `nil` for a value without a question.
        var question: String?
        var isSecret = false
        var isRequired = false
        /// The value in the form for the editor.
        let text: @Sendable (ItemDraft) -> String
        /// Sets the value from a line or an answer.
        ///
        /// The result is `false` if the text is not valid.
        let set: @Sendable (inout ItemDraft, String) -> Bool
        /// Adds the value to a change.
        let change: @Sendable (ItemDraft, inout ItemChange) -> Void
    }

    /// The values with one line each.
    ///
    /// Sites, tags, fields and notes have their own forms.
    static let lines: [Line] = [
        .text("title", "Title", \.title, \.title, isRequired: true),
        .text("username", "User name", \.username, \.username),
        .text("password", "Password", \.password, \.password, isSecret: true),
        .flag("favorite", \.isFavorite, \.isFavorite),
    ]

    var title = ""
    var username = ""
    var password = ""
    var sites: [Site] = []
    var tags: [String] = []
    var isFavorite = false
    var fields: [Field] = []
    var notes = ""

    init() {}

    /// The values of an item.
    ///
    /// Its secrets must be included.
    ///
    /// Private keys are left out, because they are bytes. If two fields have the same label, the second one is left out.
    init(_ record: ItemRecord) {
        title = record.title
        username = record.username
        password = record.password?.value ?? ""
        sites = record.sites.map { Site(address: $0.address, match: $0.match) }
        tags = record.tags
        isFavorite = record.isFavorite
        notes = record.notes ?? ""
        for field in record.sections.flatMap(\.fields) where field.name != "privateKey" {
            let label = field.label.isEmpty ? field.name : field.label
            guard let value = field.value, !fields.contains(where: { $0.label == label }) else { continue }
            fields.append(Field(label: label, value: value, isConcealed: field.type == "concealed-string"))
        }
    }

    /// The change from these values to others.
    ///
    /// It is `nil` if they are equal.
    ///
    /// - Throws: ``Failure`` when the others cannot be.
    func change(to new: ItemDraft) throws(Failure) -> ItemChange? {
        guard new != self else { return nil }
        guard !new.title.isEmpty else { throw Failure(.usage, "An item needs a title") }
        guard Set(new.fields.map(\.label)).count == new.fields.count else {
            throw Failure(.usage, "Two fields have the same label. Give each field its own label")
        }
        var change = ItemChange()
        for line in Self.lines where line.text(new) != line.text(self) { line.change(new, &change) }
        if new.notes != notes { change.notes = new.notes }
        change.removeTags = tags.filter { !new.tags.contains($0) }
        change.addTags = new.tags.filter { !tags.contains($0) }
        change.removeSites = sites.map(\.address).filter { address in !new.sites.contains { $0.address == address } }
        let added = new.sites.filter { !sites.contains($0) }
        guard Set(added.map(\.match)).count <= 1 else {
            throw Failure(.usage, "The new sites have different rules for matching. Add them one after the other")
        }
        change.addSites = added.map(\.address)
        change.match = added.first?.match
        change.fields = new.fields.filter { !fields.contains($0) }
            .map { .init(label: $0.label, value: $0.value, isConcealed: $0.isConcealed) }
        change.fields += fields.filter { field in !new.fields.contains { $0.label == field.label } }
            .map { .init(label: $0.label, value: nil) }
        return change
    }
}

extension ItemDraft.Line {
    typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

    static func text(
        _ word: String,
        _ question: String?,
        _ path: Path<ItemDraft, String>,
        _ change: Path<ItemChange, String?>,
        isSecret: Bool = false,
        isRequired: Bool = false
    ) -> Self {
        Self(
            word: word,
            question: question,
            isSecret: isSecret,
            isRequired: isRequired,
            text: { $0[keyPath: path] },
            set: { draft, value in
                draft[keyPath: path] = value
                return true
            },
            change: { $1[keyPath: change] = $0[keyPath: path] }
        )
    }

    /// A boolean value.
    ///
    /// There is no question for it.
    static func flag(_ word: String, _ path: Path<ItemDraft, Bool>, _ change: Path<ItemChange, Bool?>) -> Self {
        Self(
            word: word,
            text: { $0[keyPath: path] ? "yes" : "no" },
            set: { draft, value in
                guard value == "yes" || value == "no" else { return false }
                draft[keyPath: path] = value == "yes"
                return true
            },
            change: { $1[keyPath: change] = $0[keyPath: path] }
        )
    }
}
