internal import WardCBOR

extension Item {
    /// Replaces the value that an item shows with the other value of a conflict, and removes the conflict.
    ///
    /// If it replaces a password, the old password goes to the history. A field that was removed is added again.
    ///
    /// - Parameters:
    ///   - index: The place of the conflict in ``conflicts``.
    ///   - time: When this happens, in seconds since 1970.
    /// - Returns: `false` when there is no such conflict, or its value is one that only a later version knows; nothing changes
    ///   then.
    public mutating func take(conflict index: Int, at time: Int64) -> Bool {
        guard conflicts.indices.contains(index) else { return false }
        let conflict = conflicts[index]
        switch conflict.place {
        case .kind: kind = conflict.text.map { ItemKind(rawValue: $0.revealed) } ?? kind
        case .title: title = conflict.text?.revealed ?? title
        case .username: username = conflict.text?.revealed ?? username
        case .notes: notes = conflict.text ?? notes
        case .password:
            guard let value = conflict.text else { return false }
            if password == nil {
                password = Password(value, changedAt: time)
            } else {
                password?.change(to: value, at: time)
            }
        case .field(let section, let number, let field, let occurrence):
            set(conflict.content, section, number, field, occurrence)
        case .other: return false
        }
        conflicts.remove(at: index)
        return true
    }

    private mutating func set(
        _ content: CBORValue,
        _ section: ItemConflict.Label,
        _ number: Int,
        _ field: ItemConflict.Label,
        _ occurrence: Int
    ) {
        let value: Field.Value =
            content.textValue.map { .text(SecretText($0)) } ?? .bytes(SecretBytes(content.bytesValue ?? []))
        let place = Self.place(section, number, in: sections.map(\.place))
        let fields = place.map { sections[$0].fields } ?? []
        if let place, let known = Self.place(field, occurrence, in: fields.map(\.place)) {
            sections[place].fields[known].value = value
            return
        }
        // The field was removed since. So it is no longer known whether its value may be visible.
        let restored = Field(FieldName(rawValue: field.name), label: field.label, type: .concealed, value: value)
        if let place {
            sections[place].fields.append(restored)
        } else {
            sections.append(
                FieldSection(kind: ItemKind(rawValue: section.name), label: section.label, fields: [restored])
            )
        }
    }

    private static func place(_ label: ItemConflict.Label, _ number: Int, in all: [ItemConflict.Label]) -> Int? {
        let alike = all.indices.filter { all[$0] == label }
        return alike.indices.contains(number) ? alike[number] : nil
    }
}
