internal import WardWebAuthn

/// Several changes that are made together: either all or none.
///
/// Nothing is written until the closure that got the transaction returns. Reads return what the closure has written so far.
/// After the closure the transaction cannot be used.
public final class VaultTransaction {
    enum Step {
        /// An item after its changes, and its encoding.
        case write(Item, Encoding)
        case purge
    }

    /// The encrypted contents of attached files, by item.
    private(set) var contents: [ItemID: [SealedContent]] = [:]

    /// The encoding of an item.
    ///
    /// It is wiped with the last reference.
    final class Encoding {
        private(set) var bytes: [UInt8]

        init(_ item: Item) throws(VaultError) { bytes = try item.encoded() }

        deinit { bytes.wipe() }
    }

    private let vault: OpenVault
    private let step: ItemStep?
    private(set) var steps: [ItemID: Step] = [:]
    private(set) var order: [ItemID] = []
    private var isOver = false

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - step: The step that all revisions of the transaction belong to.
    init(_ vault: OpenVault, _ step: ItemStep? = nil) { (self.vault, self.step) = (vault, step) }

    /// An item after its changes.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    public func item(_ id: ItemID) throws(VaultError) -> Item {
        try check()
        switch steps[id] {
        case .write(let item, _): return item
        case .purge: throw VaultError(.itemMissing, "there is no item \(id)")
        case nil: return try vault.item(id)
        }
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - item: An item whose ID is not in the vault.
    ///   - change: ``Item/Change/created``, or ``Item/Change/imported``.
    /// - Returns: The item as it will be.
    /// - Throws: ``VaultError`` with `conflict` if the vault has an item with this ID, or `itemTooLarge`.
    @discardableResult
    public func add(_ item: Item, change: Item.Change = .created) throws(VaultError) -> Item {
        try check()
        let isThere = steps[item.id] != nil || vault.has(item.id)
        guard !isThere else { throw VaultError(.conflict, "there is already an item \(item.id)") }
        var item = item
        let now = vault.environment.effects.now()
        if item.createdAt == 0 { item.createdAt = now }
        item.modifiedAt = now
        item.deletedAt = nil
        return try stage(item, change)
    }

    /// Adds an item from another vault.
    ///
    /// Its times stay, and an item in the trash stays there. It can have more attachments than a person can add, because several devices
    /// may have added some.
    func adopt(_ item: Item) throws(VaultError) {
        try check()
        try stage(item, .imported, limitsAttachments: false)
    }

    /// Writes a changed item that was read before.
    ///
    /// - Returns: The item as it will be.
    /// - Throws: ``VaultError`` with `conflict` if it was changed since, `itemMissing` or `itemTooLarge`.
    @discardableResult
    public func replace(_ item: Item, change: Item.Change = .edited) throws(VaultError) -> Item {
        try check()
        let current: RevisionID?
        switch steps[item.id] {
        case .write(let staged, _): current = staged.revision
        case .purge: throw VaultError(.itemMissing, "there is no item \(item.id)")
        case nil: current = try vault.revision(item.id)
        }
        guard item.revision == current else {
            throw VaultError(.conflict, "item \(item.id) was changed since it was read")
        }
        var item = item
        if !change.isOfNobody { item.modifiedAt = vault.environment.effects.now() }
        return try stage(item, change)
    }

    /// Reads an item, changes it and writes it.
    ///
    /// - Throws: What `body` throws, or ``VaultError`` with `itemMissing`, `damaged` or `itemTooLarge`.
    public func update(
        _ id: ItemID,
        change: Item.Change = .edited,
        _ body: (inout Item) throws -> Void
    ) throws {
        var item = vault.uses.shown(in: try item(id))
        try body(&item)
        try replace(item, change: change)
    }

    /// Moves an item to the trash.
    ///
    /// If it is already there, nothing changes.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    public func trash(_ id: ItemID) throws(VaultError) {
        var item = try item(id)
        guard item.deletedAt == nil else { return }
        item.deletedAt = vault.environment.effects.now()
        try replace(item, change: .trashed)
    }

    /// Takes an item out of the trash.
    ///
    /// If it is not there, nothing changes.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    public func restore(_ id: ItemID) throws(VaultError) {
        var item = try item(id)
        guard item.deletedAt != nil else { return }
        item.deletedAt = nil
        try replace(item, change: .restored)
    }

    /// Restores an item to an earlier revision.
    ///
    /// The revisions in between stay in the history.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`, or `damaged` when that state is no longer kept.
    public func revert(_ id: ItemID, to revision: RevisionID) throws(VaultError) {
        try check()
        var item = try vault.item(id, revision: revision)
        item.revision = try currentRevision(id)
        item.deletedAt = nil
        try replace(item, change: .reverted)
    }

    /// Permanently removes an item and its history.
    ///
    /// The log still shows that the item existed, when, and how large it was.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`.
    public func purge(_ id: ItemID) throws(VaultError) {
        try check()
        switch steps[id] {
        case .purge: throw VaultError(.itemMissing, "there is no item \(id)")
        case .write where !vault.has(id):
            // The item was added in this same transaction. So it is dropped without a trace.
            steps[id] = nil
            contents[id] = nil
            order.removeAll { $0 == id }
        case .write, nil:
            _ = try vault.heads(id)
            if steps[id] == nil { order.append(id) }
            steps[id] = .purge
        }
    }

    /// Ends the transaction, so that it cannot be used any more.
    func end() {
        isOver = true
        steps = [:]
        contents = [:]
    }

    private func currentRevision(_ id: ItemID) throws(VaultError) -> RevisionID? {
        switch steps[id] {
        case .write(let item, _): return item.revision
        case .purge: throw VaultError(.itemMissing, "there is no item \(id)")
        case nil: return try vault.revision(id)
        }
    }

    @discardableResult
    private func stage(
        _ item: Item,
        _ change: Item.Change,
        limitsAttachments: Bool = true
    ) throws(VaultError) -> Item {
        var item = item
        // If one transaction changes an item several times, the first change gives the kind: a created item stays created.
        if case .write(let before, _) = steps[item.id] { item.change = before.change } else { item.change = change }
        item.step = step
        let sealed = try vault.sealAttachments(
            of: &item,
            staged: contents[item.id] ?? [],
            areLimited: limitsAttachments
        )
        let encoding = try Encoding(item)
        if !sealed.isEmpty { contents[item.id, default: []] += sealed }
        if steps[item.id] == nil { order.append(item.id) }
        steps[item.id] = .write(item, encoding)
        return item
    }

    private func check() throws(VaultError) {
        guard !isOver else { throw VaultError(.closed, "the transaction has ended") }
    }
}
