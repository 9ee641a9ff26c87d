internal import Foundation
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Reads and changes items.
struct ItemMethods: Sendable {
    let session: VaultSession
    /// The folder with the data of sites.
    let siteData: String

    func list(_ method: ListItems, _ program: ManagerProgram) async throws -> ListItems.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listItems)
            var found: [ItemSummary]
            if let site = method.site {
                _ = try Site(checking: site)
                let words = Set(try await vault.summaries(matching: method.query, inTrash: method.inTrash).map(\.id))
                found = try await vault.summaries(at: site).filter { words.contains($0.id) }
            } else {
                found = try await vault.summaries(matching: method.query, inTrash: method.inTrash)
            }
            if let kind = method.kind { found = found.filter { $0.kind.rawValue == kind } }
            if let tag = method.tag { found = found.filter { $0.tags.contains(tag) } }
            let damaged = try await vault.damagedItems()
            guard !damaged.isEmpty else { return ListItems.Result(items: found.map { SummaryRecord($0) }) }
            let ids = Set(damaged.map(\.id))
            let shown = damaged.map(\.summary).filter { ItemSearch.isShown($0, by: method) }
            return ListItems.Result(
                items: shown.map { SummaryRecord($0, isDamaged: true) }
                    + found.filter { !ids.contains($0.id) }.map { SummaryRecord($0) },
                damaged: damaged.map(\.id.text)
            )
        }
    }

    func get(_ method: GetItem, _ program: ManagerProgram) async throws -> ItemRecord {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .readItem
            )
            let item = try await item(method.item, revision: method.revision, in: vault)
            var record = ItemRecord(item, reveal: method.reveal)
            guard let conflicts = record.conflicts, !conflicts.isEmpty else { return record }
            let names = Dictionary(
                try await vault.deviceNames().map { ("\($0)", $1) },
                uniquingKeysWith: { first, _ in first }
            )
            record.conflicts = conflicts.map { conflict in
                var named = conflict
                named.deviceName = names[conflict.device]
                return named
            }
            return record
        }
    }

    /// The requested item, or one of its revisions.
    func item(_ text: String, revision: String?, in vault: Vault) async throws -> Item {
        let search = ItemSearch(vault: vault)
        let id = try await search.find(text, includingTrash: true, damagedToo: revision != nil).id
        guard let revision else { return try await vault.item(id) }
        return try await vault.item(id, revision: try await self.revision(revision, of: id, in: vault))
    }

    func add(_ method: AddItem, _ program: ManagerProgram) async throws -> ItemRecord {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .addItem)
            guard let title = method.change.title else { throw AgentError(.invalidValue, "An item needs a title") }
            var item = Item(ItemKind(rawValue: method.kind), title: title)
            try method.change.apply(to: &item, now: session.effects.now())
            let added = item
            guard method.isApart != true else {
                return ItemRecord(try await vault.writeItem { try $0.add(added) }, reveal: false)
            }
            let (kept, isJoined) = try await vault.add(added, joining: await SharedCredentials.here(siteData))
            var record = ItemRecord(kept, reveal: false)
            record.isJoined = isJoined ? true : nil
            return record
        }
    }

    /// Adds a copy of an item, without its passkeys, its history and its earlier passwords.
    func clone(_ method: CloneItem, _ program: ManagerProgram) async throws -> ItemRecord {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .copyItem)
            let item = try await vault.item(try await ItemSearch(vault: vault).find(method.item).id)
            let title = method.title.map(ItemTitle.clean) ?? "\(item.title) copy"
            guard !title.isEmpty else { throw AgentError(.invalidValue, "An item needs a title") }
            var copy = item.copy(title: title, at: session.effects.now())
            for attachment in item.attachments {
                let content = try await vault.content(of: attachment, in: item.id)
                copy.attachments.append(
                    Attachment(name: attachment.name, type: attachment.type, content: content)
                )
            }
            let added = copy
            return ItemRecord(try await vault.writeItem { try $0.add(added) }, reveal: false)
        }
    }

    func edit(_ method: EditItem, _ program: ManagerProgram) async throws -> ItemRecord {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .changeItem
            )
            let id = try await ItemSearch(vault: vault).find(method.item, includingTrash: false).id
            let now = session.effects.now()
            let edited = try await vault.writeItem { transaction in
                let before = try transaction.item(id)
                var item = before
                try method.change.apply(to: &item, now: now)
                // If a change leaves the item as it was, no revision is written.
                return item == before ? before : try transaction.replace(item)
            }
            return ItemRecord(edited, reveal: false)
        }
    }

    func remove(_ method: RemoveItem, _ program: ManagerProgram) async throws -> SummaryRecord {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .removeItem
            )
            let search = ItemSearch(vault: vault)
            let summary =
                method.forGood
                ? try await search.findExactly(method.item) : try await search.find(method.item)
            try await vault.write { transaction in
                if method.forGood { try transaction.purge(summary.id) } else { try transaction.trash(summary.id) }
            }
            return SummaryRecord(summary)
        }
    }

    func restore(_ method: RestoreItem, _ program: ManagerProgram) async throws -> SummaryRecord {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .restoreItem
            )
            let id: ItemID
            if let text = method.revision {
                id = try await ItemSearch(vault: vault).find(method.item, includingTrash: true, damagedToo: true).id
                let state = try await revision(text, of: id, in: vault)
                try await vault.write { try $0.revert(id, to: state) }
            } else {
                id = try await ItemSearch(vault: vault).find(method.item, trash: true).id
                try await vault.write { try $0.restore(id) }
            }
            return SummaryRecord(try await vault.summary(id))
        }
    }

    func history(_ method: ItemHistory, _ program: ManagerProgram) async throws -> ItemHistory.Result {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .readHistory
            )
            let summary = try await ItemSearch(vault: vault).find(method.item, includingTrash: true, damagedToo: true)
            let states = try await vault.history(of: summary.id)
            let names = try await vault.deviceNames()
            let revisions = states.map { RevisionRecord($0, deviceName: names[$0.device]) }
            return ItemHistory.Result(item: SummaryRecord(summary), revisions: revisions)
        }
    }

    func find(_ method: FindItem, _ program: ManagerProgram) async throws -> SummaryRecord {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .findItem
            )
            return SummaryRecord(try await ItemSearch(vault: vault).findExactly(method.item))
        }
    }

    func emptyTrash(_ method: EmptyTrash, _ program: ManagerProgram) async throws -> EmptyTrash.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .emptyTrash)
            return EmptyTrash.Result(removed: try await vault.emptyTrash())
        }
    }

    func code(_ method: ShowCode, _ program: ManagerProgram) async throws -> ShowCode.Result {
        guard method.isRefresh != true else { return try await code(method, in: await session.file()) }
        return try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .readCode
            )
            return try await code(method, in: vault)
        }
    }

    /// A verification code of the open vault.
    private func code(_ method: ShowCode, in vault: Vault) async throws -> ShowCode.Result {
        let summary = try await ItemSearch(vault: vault).find(method.item, includingTrash: false, hasCode: true)
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

    private func revision(_ text: String, of id: ItemID, in vault: Vault) async throws -> RevisionID {
        try Self.revision(text, among: try await vault.history(of: id))
    }

    /// The only revision with this number, or with an ID that begins with this text.
    static func revision(_ text: String, among states: [ItemRevision]) throws(AgentError) -> RevisionID {
        let wanted = text.lowercased()
        if let number = Int(wanted) {
            let found = states.filter { $0.number == number }
            guard found.count < 2 else {
                let ids = found.map { String($0.id.text.prefix(8)) }.joined(separator: ", ")
                throw AgentError(
                    .ambiguous,
                    "Several devices made revisions with the number \(number). Use the ID: \(ids)"
                )
            }
            if let state = found.first { return state.id }
        }
        let found = wanted.count >= 4 ? states.filter { $0.id.text.hasPrefix(wanted) } : []
        guard found.count == 1, let state = found.first else {
            throw AgentError(
                .itemMissing,
                "The item has no revision \(text). To see the item's revisions: ward history"
            )
        }
        return state.id
    }
}
