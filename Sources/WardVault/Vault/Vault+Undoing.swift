internal import WardLog
internal import WardWebAuthn

extension Vault {
    /// How long a step can be undone, in days: as long as an item stays in the trash.
    static let undoDays: Int64 = 30

    /// What undoing the latest step of a kind does; nothing is written.
    ///
    /// Only steps of this device in the last thirty days count, and only those that were not undone yet.
    ///
    /// - Parameters:
    ///   - kind: The kind of step.
    ///   - includesChanged: Whether items that were changed after the step are undone too. Their later revisions stay in the
    ///     history.
    /// - Returns: `nil` if there is no such step.
    /// - Throws: ``VaultError`` with `locked` or `unavailable`.
    public func plan(undoing kind: ItemStep.Kind, includesChanged: Bool = false) throws(VaultError) -> UndoPlan? {
        try open().plan(undoing: kind, includesChanged)
    }

    /// Undoes the latest step of a kind in one transaction.
    ///
    /// Items that the step added go to the trash, and the others get their revision from before the step.
    ///
    /// - Parameters:
    ///   - kind: The kind of step.
    ///   - id: The ID of the step, if it must be this one.
    ///   - includesChanged: As for ``plan(undoing:includesChanged:)``.
    /// - Returns: What was done.
    /// - Throws: ``VaultError`` with `itemMissing` if there is no such step; `conflict` if the latest step is another one or cannot
    ///   be undone; `locked`, `diskFull` or `unavailable`. Nothing is written then.
    @discardableResult
    public func undo(
        _ kind: ItemStep.Kind,
        id: [UInt8]? = nil,
        includesChanged: Bool = false
    ) throws(VaultError) -> UndoPlan {
        let open = try open()
        guard let plan = try open.plan(undoing: kind, includesChanged) else {
            throw VaultError(.itemMissing, "there is no \(kind) of the last \(Self.undoDays) days to undo")
        }
        guard id == nil || plan.step.id == id else { throw VaultError(.conflict, "there is a later \(kind)") }
        guard plan.isPossible else { throw VaultError(.conflict, "the items of the \(kind) were changed since") }
        let step = ItemStep(kind, id: plan.step.id, isUndo: true)
        try translated {
            try open.write(as: step) { transaction in
                for line in plan.changes {
                    if let before = line.before {
                        try transaction.revert(line.item, to: before)
                    } else {
                        try transaction.trash(line.item)
                    }
                }
            }
        }
        return plan
    }
}

extension OpenVault {
    /// A revision that a step wrote.
    private struct Written {
        let item: Item
        let hash: [UInt8]
        let parents: [[UInt8]]
    }

    /// The latest step of a kind by this device that was not undone.
    private func lastStep(_ kind: ItemStep.Kind) throws(VaultError) -> (step: ItemStep, time: Int64, [Written])? {
        let oldest = environment.effects.now() - Vault.undoDays * ProvenAge.day
        var (undone, found): (Set<[UInt8]>, ItemStep?) = ([], nil)
        var (time, written): (Int64, [Written]) = (0, [])
        try database.forEachRowBackwards { row in
            let signed = try SignedEntry(row)
            let entry = signed.entry
            guard entry.device == device.device else { return true }
            guard entry.time.seconds >= oldest else { return false }
            guard case .revision(let record) = entry.operation else { return true }
            // An item that cannot be read has no step.
            let item = try? open(row, signed, record)
            if let found {
                // A device writes the revisions of a step one after the other.
                guard let item, item.step == found else { return false }
            } else {
                guard let item, let step = item.step, step.kind == kind else { return true }
                if step.isUndo { undone.insert(step.id) }
                guard !undone.contains(step.id) else { return true }
                (found, time) = (step, entry.time.seconds)
            }
            if let item { written.append(Written(item: item, hash: signed.hash, parents: record.parents)) }
            return true
        }
        return found.map { ($0, time, written.reversed()) }
    }

    func plan(undoing kind: ItemStep.Kind, _ includesChanged: Bool) throws(VaultError) -> UndoPlan? {
        guard let (step, time, written) = try lastStep(kind) else { return nil }
        let lines = written.map { revision in
            let (outcome, before) = undoing(revision, includesChanged)
            return UndoPlan.Line(
                outcome: outcome,
                item: revision.item.id,
                title: revision.item.title,
                before: outcome == .reverted ? before : nil
            )
        }
        return UndoPlan(step: step, time: time, lines: lines)
    }

    private func undoing(_ written: Written, _ includesChanged: Bool) -> (UndoPlan.Outcome, before: RevisionID?) {
        let id = written.item.id
        guard has(id), let isInTrash = index.summary(id)?.isInTrash else { return (.missing, nil) }
        let isLatest = unreadable[id] == nil && index.heads(id).map(\.hash) == [written.hash]
        guard !written.parents.isEmpty else {
            // What the step added goes to the trash with all that its use changed.
            guard !isInTrash else { return (.missing, nil) }
            return (isLatest || includesChanged || isOnlyUsed(id, since: written.hash) ? .trashed : .changed, nil)
        }
        guard isLatest || includesChanged else { return (isInTrash ? .missing : .changed, nil) }
        guard written.parents.count == 1, (try? item(id, revision: RevisionID(written.parents[0]))) != nil else {
            return (.missing, nil)
        }
        return (.reverted, RevisionID(written.parents[0]))
    }

    /// Whether an item was used, and not changed by a person, after a revision.
    private func isOnlyUsed(_ id: ItemID, since hash: [UInt8]) -> Bool {
        guard let revisions = try? history(id) else { return false }
        return revisions.prefix { $0.id.bytes != hash }.allSatisfy { $0.change?.isOfNobody == true }
            && revisions.contains { $0.id.bytes == hash }
    }
}
