internal import WardWebAuthn

extension Vault {
    /// Makes one entry of several items in one transaction.
    ///
    /// The first item gets everything that the others have and it lacks, and the others go to the trash. Different passwords go to
    /// the history; the newest one is the current one. ``undo(_:id:includesChanged:)`` undoes it.
    ///
    /// - Parameters:
    ///   - ids: Two different items or more.
    ///   - isRehearsal: Whether nothing is written.
    /// - Returns: What was done.
    /// - Throws: ``VaultError`` with `conflict` if the items are fewer than two, of different kinds, or in the trash; `itemMissing`,
    ///   `damaged`, `itemTooLarge`, `tooManyAttachments`, `locked`, `diskFull` or `unavailable`. Nothing is written then.
    @discardableResult
    public func merge(_ ids: [ItemID], isRehearsal: Bool = false) throws(VaultError) -> MergePlan {
        let open = try open()
        guard let first = ids.first, Set(ids).count == ids.count, ids.count >= 2 else {
            throw VaultError(.conflict, "one entry is made of two different items or more")
        }
        let now = environment.effects.now()
        return try translated {
            try open.write(as: try open.step(.merge), isRehearsal: isRehearsal) { transaction in
                let before = try transaction.item(first)
                var item = before
                for id in ids.dropFirst() {
                    let other = try transaction.item(id)
                    guard !item.isInTrash, !other.isInTrash else {
                        throw VaultError(.conflict, "an item is in the trash. Restore it first")
                    }
                    guard item.kind == other.kind else {
                        throw VaultError(.conflict, "items of different kinds cannot become one entry")
                    }
                    try item.take(other, from: open, at: now)
                    try transaction.trash(id)
                }
                try transaction.replace(item)
                return MergePlan(before, item, Array(ids.dropFirst()))
            }
        }
    }

    /// Moves a part of an item into an item of its own, in one transaction.
    ///
    /// The new item has the title, sites and tags of the item. ``undo(_:id:includesChanged:)`` undoes it.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - part: The part that moves; `nil` is the passkeys, or the codes of an item without passkeys.
    ///   - isRehearsal: Whether nothing is written.
    /// - Returns: What was done.
    /// - Throws: ``VaultError`` with `conflict` if the item lacks the part or has no other part; `itemMissing`, `damaged`, `locked`,
    ///   `diskFull` or `unavailable`. Nothing is written then.
    @discardableResult
    public func split(
        _ id: ItemID,
        _ part: SplitPlan.Part? = nil,
        isRehearsal: Bool = false
    ) throws(VaultError) -> SplitPlan {
        let open = try open()
        return try translated {
            try open.write(as: try open.step(.split), isRehearsal: isRehearsal) { transaction in
                var item = try transaction.item(id)
                guard !item.isInTrash else { throw VaultError(.conflict, "the item is in the trash. Restore it first") }
                let part = part ?? (item.passkeys.isEmpty ? .codes : .passkeys)
                let (new, count) = try item.give(part)
                try transaction.replace(item)
                try transaction.add(new)
                return SplitPlan(part: part, count: count, item: id, new: new.id, username: new.username)
            }
        }
    }
}

extension Item {
    /// Adds everything of another item of the vault that this item lacks, also its attached files.
    fileprivate mutating func take(_ other: Item, from vault: OpenVault, at time: Int64) throws(VaultError) {
        var other = other
        let files = other.attachments
        other.attachments = []
        join(other, at: time, keepsEveryRule: true)
        isFavorite = isFavorite || other.isFavorite
        if other.createdAt > 0 { createdAt = min(createdAt, other.createdAt) }
        for file in files {
            // A stored content belongs to one item, so this item gets a copy.
            let content = try vault.content(of: file, in: other.id)
            var isThere = false
            for mine in attachments where mine.name == file.name && mine.size == file.size {
                if try vault.content(of: mine, in: id) == content { isThere = true }
            }
            if !isThere { attachments.append(Attachment(name: file.name, type: file.type, content: content)) }
        }
    }

    /// Takes a part out of this item, and returns an item with it.
    fileprivate mutating func give(_ part: SplitPlan.Part) throws(VaultError) -> (item: Item, count: Int) {
        var new = Item(kind, title: title, sites: sites, username: username, tags: tags)
        let count: Int
        switch part {
        case .passkeys:
            count = passkeys.count
            let names = Set(passkeys.map(\.userName))
            if names.count == 1, let name = names.first, !name.isEmpty { new.username = name }
            swap(&new.passkeys, &passkeys)
        case .codes:
            count = codes.count + unknownCodes.count
            swap(&new.codes, &codes)
            swap(&new.unknownCodes, &unknownCodes)
        case .password:
            count = password == nil ? 0 : 1
            swap(&new.password, &password)
        }
        guard count > 0 else { throw VaultError(.conflict, "the item has no \(part.rawValue)") }
        guard password != nil || !passkeys.isEmpty || !codes.isEmpty || !unknownCodes.isEmpty else {
            throw VaultError(.conflict, "the item has nothing but its \(part.rawValue)")
        }
        return (new, count)
    }
}
