internal import WardLog
internal import WardWebAuthn

extension Vault {
    /// Permanently removes all items in the trash.
    ///
    /// - Returns: How many items were removed.
    /// - Throws: ``VaultError`` with `locked`, `diskFull` or `unavailable`; nothing is removed then.
    @discardableResult
    public func emptyTrash() throws(VaultError) -> Int {
        try purge(try open().index.summaries(inTrash: true).map(\.id))
    }

    /// Permanently removes items that were in the trash for thirty days, and deletes the data of items that were removed thirty
    /// days ago.
    ///
    /// The current time alone removes nothing, because a clock may be wrong for a day. Days count if this device's entries in
    /// the log show that they passed: between two entries at most three days count, and the longest gap does not count at all.
    /// If the device's last entry has a later time than the clock, nothing is removed.
    ///
    /// - Returns: How many items were removed.
    /// - Throws: ``VaultError`` with `locked`, `damaged`, `diskFull` or `unavailable`; nothing is removed then.
    @discardableResult
    public func emptyExpiredTrash() throws(VaultError) -> Int {
        let open = try open()
        let now = environment.effects.now()
        guard open.chain.leaf(of: open.device.device).map({ $0.time.seconds <= now }) ?? false else { return 0 }
        try open.clearRemoved()
        var ages: [ItemID: (position: Int64, age: ProvenAge)] = [:]
        for summary in open.index.summaries(inTrash: true) {
            guard let deletedAt = summary.deletedAt, deletedAt <= now - Self.trashDays * ProvenAge.day,
                let position = open.index.heads(summary.id).map(\.position).max()
            else { continue }
            ages[summary.id] = (position, ProvenAge(days: Self.trashDays))
        }
        guard let first = ages.values.map(\.position).min() else { return 0 }
        try open.database.forEachRow(after: first - 1, withBlobs: false) { row in
            let entry = try SignedEntry(row).entry
            guard entry.device == open.device.device else { return }
            for (id, known) in ages where known.position <= row.position {
                ages[id]?.age.advance(to: entry.time.seconds)
            }
        }
        for id in ages.keys { ages[id]?.age.advance(to: now) }
        return try purge(ages.filter { $0.value.age.isProven }.keys.sorted())
    }

    /// How long an item stays in the trash.
    private static let trashDays: Int64 = 30

    private func purge(_ ids: [ItemID]) throws(VaultError) -> Int {
        guard !ids.isEmpty else { return 0 }
        let open = try open()
        return try translated {
            try open.write { transaction in
                for id in ids { try transaction.purge(id) }
                return ids.count
            }
        }
    }
}
