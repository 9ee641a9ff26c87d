import Foundation

/// Asks for each value of an item.
enum ItemQuestions {
    /// The values after the person's answers.
    ///
    /// - Throws: ``Failure`` with `denied` when the person cancels.
    static func ask(_ draft: ItemDraft) throws -> ItemDraft {
        Terminal.note("Press Enter to keep a value, type - to remove it, Ctrl-C to cancel.\n")
        var new = draft
        for line in ItemDraft.lines {
            guard let question = line.question else { continue }
            let value = line.text(draft)
            let answer =
                line.isSecret ? try secret(question, value) : try text(question, value, mayRemove: !line.isRequired)
            _ = line.set(&new, answer)
        }
        new.sites = try draft.sites.compactMap { site in
            let address = try text("Site", site.address)
            return address.isEmpty ? nil : .init(address: address, match: site.match)
        }
        if draft.sites.isEmpty {
            let address = try text("Site", "")
            if !address.isEmpty { new.sites.append(.init(address: address)) }
        }
        new.fields = try draft.fields.compactMap { field in
            var field = field
            let name = Table.clean(field.label)
            field.value = try field.isConcealed ? secret(name, field.value) : text(name, field.value)
            return field.value.isEmpty ? nil : field
        }
        let tags = try text("Tags", draft.tags.joined(separator: ", "))
        if tags != draft.tags.joined(separator: ", ") {
            new.tags = tags.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        if draft.notes.contains(where: \.isNewline) {
            Terminal.note("The notes have several lines: ward edit --editor changes them.")
        } else {
            new.notes = try answer("Notes\(draft.notes.isEmpty ? "" : " [\(hidden)]"): ", draft.notes)
        }
        return new
    }

    private static let hidden = "••••••••"

    /// Shows the typed text, but not the current value.
    private static func answer(_ label: String, _ value: String) throws -> String {
        let typed = try Question.text(label)
        if typed.isEmpty { return value }
        return typed == "-" ? "" : typed
    }

    private static func text(_ name: String, _ value: String, mayRemove: Bool = true) throws -> String {
        let typed = try Question.text("\(name)\(value.isEmpty ? "" : " [\(Table.clean(value))]"): ")
        if typed.isEmpty { return value }
        return typed == "-" && mayRemove ? "" : typed
    }

    private static func secret(_ name: String, _ value: String) throws -> String {
        let typed = String(
            decoding: try Question.secret("\(name)\(value.isEmpty ? "" : " [\(hidden)]"): "),
            as: UTF8.self
        )
        if typed.isEmpty { return value }
        return typed == "-" ? "" : typed
    }
}
