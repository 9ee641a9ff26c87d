internal import Foundation
internal import WardAgentClient
internal import WardVault

/// Finds the item that the person's words match.
struct ItemSearch: Sendable {
    let vault: Vault

    /// The only item that matches: by its ID, the first characters of its ID, its title, or words.
    ///
    /// - Throws: `AgentError` with `itemMissing`, or `ambiguous` naming what fits.
    func find(
        _ text: String,
        includingTrash: Bool = false,
        trash: Bool = false,
        hasCode: Bool = false,
        damagedToo: Bool = false
    ) async throws -> ItemSummary {
        let damaged = try await vault.damagedItems()
        let found = try await find(text, includingTrash, trash, hasCode, damaged.map(\.summary))
        if !damagedToo, let item = damaged.first(where: { $0.id == found.id }) { throw Self.isDamaged(item) }
        return found
    }

    private func find(
        _ text: String,
        _ includingTrash: Bool,
        _ trash: Bool,
        _ hasCode: Bool,
        _ damaged: [ItemSummary]
    ) async throws -> ItemSummary {
        let wanted = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !wanted.isEmpty else {
            throw AgentError(.invalidValue, "Name an item: its title, words of it, or its ID")
        }
        if let id = ItemID(text: wanted) {
            if let summary = damaged.first(where: { $0.id == id }) { return summary }
            if let summary = try? await vault.summary(id) { return summary }
        }
        var pool: [ItemSummary] = []
        if !trash { pool += try await vault.summaries() }
        if trash || includingTrash { pool += try await vault.summaries(inTrash: true) }
        // Damaged items are found by the properties that are still readable.
        let known = Set(damaged.map(\.id))
        pool = pool.filter { !known.contains($0.id) } + damaged
        let lowered = wanted.lowercased()
        var found = wanted.count >= 4 ? pool.filter { $0.id.text.hasPrefix(lowered) } : []
        if found.isEmpty { found = pool.filter { $0.title.lowercased() == lowered } }
        if found.isEmpty {
            let ids = Set(pool.map(\.id))
            var matching: [ItemSummary] = []
            if !trash { matching += try await vault.summaries(matching: wanted) }
            if trash || includingTrash { matching += try await vault.summaries(matching: wanted, inTrash: true) }
            found = matching.filter { ids.contains($0.id) && !known.contains($0.id) }
            found += damaged.filter { $0.title.lowercased().contains(lowered) }
        }
        if found.count > 1 {
            // Words in the title count more than the same words in an address.
            let words = lowered.split(whereSeparator: \.isWhitespace)
            let titled = found.filter { summary in
                let title = summary.title.lowercased()
                return words.allSatisfy { title.contains($0) }
            }
            if titled.count == 1 { found = titled }
        }
        if hasCode, found.count > 1 {
            let having = found.filter { $0.codeCount > 0 }
            if !having.isEmpty { found = having }
        }
        guard let first = found.first else {
            throw AgentError(.itemMissing, "No item matches “\(wanted)”. To see all items: ward list")
        }
        guard found.count == 1 else {
            throw AgentError(.ambiguous, "Several items match “\(wanted)”: \(Self.names(found))")
        }
        return first
    }

    /// The only item with exactly this title, or with an ID that begins with this text.
    ///
    /// It is for operations that cannot be undone.
    ///
    /// The trash is searched too.
    ///
    /// - Throws: `AgentError` with `itemMissing`, naming what is similar, or `ambiguous`.
    func findExactly(_ text: String) async throws -> ItemSummary {
        let wanted = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let damaged = try await vault.damagedItems().map(\.summary)
        let known = Set(damaged.map(\.id))
        var pool = try await vault.summaries()
        pool += try await vault.summaries(inTrash: true)
        pool = pool.filter { !known.contains($0.id) } + damaged
        let lowered = wanted.lowercased()
        var found = wanted.count >= Self.shownLength ? pool.filter { $0.id.text.hasPrefix(lowered) } : []
        if found.isEmpty, !wanted.isEmpty { found = pool.filter { $0.title == wanted } }
        guard let first = found.first else {
            let similar = wanted.isEmpty ? [] : pool.filter { $0.title.lowercased().contains(lowered) }
            let next =
                similar.isEmpty
                ? "To see all items: ward list, ward trash list"
                : "Use the exact title or the ID: \(Self.names(similar))"
            throw AgentError(.itemMissing, "No item has exactly the title “\(wanted)”. \(next)")
        }
        guard found.count == 1 else {
            throw AgentError(.ambiguous, "Several items have the title “\(wanted)”. Use the ID: \(Self.names(found))")
        }
        return first
    }

    /// The number of characters of an item ID in lists.
    private static let shownLength = 8

    private static func names(_ found: [ItemSummary]) -> String {
        let names = found.prefix(5).map { summary in
            let who = summary.username.isEmpty ? "" : " (\(summary.username))"
            return "\(summary.title)\(who) [\(summary.id.text.prefix(shownLength))]"
        }
        let more = found.count > 5 ? ", and \(found.count - 5) more" : ""
        return names.joined(separator: ", ") + more
    }

    /// Whether a list contains a damaged item, as far as the agent can tell.
    static func isShown(_ summary: ItemSummary, by method: ListItems) -> Bool {
        guard summary.isInTrash == method.inTrash, method.site == nil else { return false }
        if let kind = method.kind, summary.kind.rawValue != kind { return false }
        if let tag = method.tag, !summary.tags.contains(tag) { return false }
        let text = [summary.title, summary.username].joined(separator: " ").lowercased()
        return method.query.lowercased().split(whereSeparator: \.isWhitespace).allSatisfy { text.contains($0) }
    }

    private static func isDamaged(_ item: DamagedItem) -> AgentError {
        let id = item.id.text.prefix(shownLength)
        let name = item.summary.title.isEmpty ? "Item \(id)" : "“\(item.summary.title)”"
        return AgentError(
            .init(rawValue: "damaged"),
            item.isRestorable
                ? "\(name) is damaged, but an older revision can be read. See which: ward history \(id). "
                    + "Then go back to it: ward restore \(id) --revision N"
                : "\(name) is damaged, and no revision can be read. Restore your last backup"
        )
    }
}
