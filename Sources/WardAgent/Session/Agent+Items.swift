internal import Foundation
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

extension Agent {
    func list(_ method: ListItems, _ caller: AgentCaller) async throws -> ListItems.Result {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "list your items")
            var found: [ItemSummary]
            if let site = method.site {
                let words = Set(try await vault.summaries(matching: method.query, inTrash: method.inTrash).map(\.id))
                found = try await vault.summaries(at: site).filter { words.contains($0.id) }
            } else {
                found = try await vault.summaries(matching: method.query, inTrash: method.inTrash)
            }
            if let kind = method.kind { found = found.filter { $0.kind.rawValue == kind } }
            if let tag = method.tag { found = found.filter { $0.tags.contains(tag) } }
            return ListItems.Result(items: found.map { SummaryRecord($0) })
        }
    }

    func get(_ method: GetItem, _ caller: AgentCaller) async throws -> ItemRecord {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "read one of your items")
            let id = try await find(method.item, in: vault, includingTrash: true).id
            guard let text = method.revision else {
                return ItemRecord(try await vault.item(id), reveal: method.reveal)
            }
            let item = try await vault.item(id, revision: try await revision(text, of: id, in: vault))
            return ItemRecord(item, reveal: method.reveal)
        }
    }

    func add(_ method: AddItem, _ caller: AgentCaller) async throws -> ItemRecord {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "add an item")
            guard let title = method.change.title, !title.isEmpty else {
                throw AgentError(.invalidValue, "an item needs a title")
            }
            var item = Item(ItemKind(rawValue: method.kind), title: title)
            try method.change.apply(to: &item, now: configuration.effects.now())
            let added = item
            try await vault.write { try $0.add(added) }
            return ItemRecord(try await vault.item(added.id), reveal: false)
        }
    }

    func edit(_ method: EditItem, _ caller: AgentCaller) async throws -> ItemRecord {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "change one of your items")
            let id = try await find(method.item, in: vault, includingTrash: false).id
            let now = configuration.effects.now()
            try await vault.write { transaction in
                try transaction.update(id) { try method.change.apply(to: &$0, now: now) }
            }
            return ItemRecord(try await vault.item(id), reveal: false)
        }
    }

    func remove(_ method: RemoveItem, _ caller: AgentCaller) async throws -> SummaryRecord {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "remove one of your items")
            let summary = try await find(method.item, in: vault, includingTrash: method.forGood)
            try await vault.write { transaction in
                if method.forGood { try transaction.purge(summary.id) } else { try transaction.trash(summary.id) }
            }
            return SummaryRecord(summary)
        }
    }

    func restore(_ method: RestoreItem, _ caller: AgentCaller) async throws -> SummaryRecord {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "restore one of your items")
            let id: ItemID
            if let text = method.revision {
                id = try await find(method.item, in: vault, includingTrash: true).id
                let state = try await revision(text, of: id, in: vault)
                try await vault.write { try $0.revert(id, to: state) }
            } else {
                id = try await find(method.item, in: vault, trash: true).id
                try await vault.write { try $0.restore(id) }
            }
            return SummaryRecord(try await vault.summary(id))
        }
    }

    func history(_ method: ItemHistory, _ caller: AgentCaller) async throws -> ItemHistory.Result {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "read the history of an item")
            let summary = try await find(method.item, in: vault, includingTrash: true)
            let states = try await vault.history(of: summary.id)
            return ItemHistory.Result(item: SummaryRecord(summary), revisions: states.map { RevisionRecord($0) })
        }
    }

    func code(_ method: ShowCode, _ caller: AgentCaller) async throws -> ShowCode.Result {
        guard method.isRefresh != true else { return try await code(method, in: file()) }
        return try await working {
            let vault = try await opened(method.authorization, caller, purpose: "read a verification code")
            return try await code(method, in: vault)
        }
    }

    /// A code of the open vault.
    private func code(_ method: ShowCode, in vault: Vault) async throws -> ShowCode.Result {
        let summary = try await find(method.item, in: vault, includingTrash: false, hasCode: true)
        let item = try await vault.item(summary.id)
        guard item.codes.indices.contains(method.index) else {
            throw AgentError(
                .itemMissing,
                item.codes.isEmpty
                    ? "\(item.title) has no verification code: ward edit adds one with --otpauth"
                    : "\(item.title) has \(item.codes.count) verification codes, counted from 0"
            )
        }
        let code = try await vault.code(of: summary.id, at: method.index)
        return ShowCode.Result(
            code: code.text,
            secondsLeft: code.secondsLeft,
            period: code.period,
            title: item.title,
            account: item.codes[method.index].account.isEmpty ? item.username : item.codes[method.index].account
        )
    }

    // MARK: Finding

    /// The one item that is meant: by its name, the beginning of it, its title, or words that fit it alone.
    ///
    /// - Throws: `AgentError` with `itemMissing`, or `ambiguous` naming what fits.
    func find(
        _ text: String,
        in vault: Vault,
        includingTrash: Bool = false,
        trash: Bool = false,
        hasCode: Bool = false
    ) async throws -> ItemSummary {
        let wanted = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !wanted.isEmpty else { throw AgentError(.invalidValue, "which item? A title, words of it, or its name") }
        if let id = ItemID(text: wanted), let summary = try? await vault.summary(id) { return summary }
        var pool: [ItemSummary] = []
        if !trash { pool += try await vault.summaries() }
        if trash || includingTrash { pool += try await vault.summaries(inTrash: true) }
        let lowered = wanted.lowercased()
        var found = wanted.count >= 4 ? pool.filter { $0.id.text.hasPrefix(lowered) } : []
        if found.isEmpty { found = pool.filter { $0.title.lowercased() == lowered } }
        if found.isEmpty {
            let ids = Set(pool.map(\.id))
            var matching: [ItemSummary] = []
            if !trash { matching += try await vault.summaries(matching: wanted) }
            if trash || includingTrash { matching += try await vault.summaries(matching: wanted, inTrash: true) }
            found = matching.filter { ids.contains($0.id) }
        }
        if found.count > 1 {
            // Words in the title mean more than the same words in an address.
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
            throw AgentError(.itemMissing, "nothing fits “\(wanted)”: ward list shows what there is")
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map { summary in
                summary.username.isEmpty
                    ? "\(summary.title) [\(summary.id.text.prefix(8))]"
                    : "\(summary.title) (\(summary.username)) [\(summary.id.text.prefix(8))]"
            }
            let more = found.count > 5 ? ", and \(found.count - 5) more" : ""
            throw AgentError(.ambiguous, "several items fit “\(wanted)”: \(names.joined(separator: ", "))\(more)")
        }
        return first
    }

    private func revision(_ text: String, of id: ItemID, in vault: Vault) async throws -> RevisionID {
        let wanted = text.lowercased()
        let states = try await vault.history(of: id)
        if let number = Int(wanted), let state = states.first(where: { $0.number == number }) { return state.id }
        let found = wanted.count >= 4 ? states.filter { $0.id.text.hasPrefix(wanted) } : []
        guard found.count == 1, let state = found.first else {
            throw AgentError(.itemMissing, "the item has no state \(text): ward history shows them")
        }
        return state.id
    }
}
