internal import WardWebAuthn

extension Vault {
    /// Removes for good all that is in the trash.
    ///
    /// - Returns: How many items were removed.
    /// - Throws: ``VaultError`` with `locked`, `diskFull` or `unavailable`; nothing is removed then.
    @discardableResult
    public func emptyTrash() throws(VaultError) -> Int {
        try purge(try open().index.summaries(inTrash: true).map(\.id))
    }

    /// Removes for good what has been in the trash for thirty days, by the times in the log.
    ///
    /// A clock may be wrong for a day, so what it says now removes nothing. Days count when the log shows that they passed: from
    /// one entry to the next at most three days each, and the longest gap not at all. One leap of the clock therefore
    /// counts for nothing, however far it goes. While the log is ahead of the clock, nothing is removed.
    ///
    /// - Returns: How many items were removed.
    /// - Throws: ``VaultError`` with `locked`, `damaged`, `diskFull` or `unavailable`; nothing is removed then.
    @discardableResult
    public func emptyExpiredTrash() throws(VaultError) -> Int {
        let open = try open()
        let now = environment.effects.now()
        var ages: [Int64: TrashAge] = [:]
        for summary in open.index.summaries(inTrash: true) {
            guard let deletedAt = summary.deletedAt, deletedAt <= now - TrashAge.limit,
                let place = open.index.place(summary.id)
            else { continue }
            ages[place.position] = TrashAge(id: summary.id)
        }
        guard let first = ages.keys.min(), open.chain.time.seconds <= now else { return 0 }
        try open.database.forEachRow(after: first - 1, withBlobs: false) { row in
            let time = try SignedEntry(encoded: row.entry).entry.time.seconds
            for position in ages.keys where position <= row.position { ages[position]?.advance(to: time) }
        }
        for position in ages.keys { ages[position]?.advance(to: now) }
        return try purge(ages.values.filter(\.isExpired).map(\.id).sorted())
    }

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

/// For how long an item has been in the trash, as the log proves it.
private struct TrashAge {
    /// Thirty days, in seconds.
    static let limit: Int64 = 30 * 86_400
    /// What one gap between entries proves at most.
    private static let longestProof: Int64 = 3 * 86_400

    let id: ItemID
    private var last: Int64?
    private var sum: Int64 = 0
    private var longest: Int64 = 0

    init(id: ItemID) { self.id = id }

    /// Takes the time of the next entry; the first is the one that put the item into the trash.
    mutating func advance(to time: Int64) {
        guard let last else {
            last = time
            return
        }
        guard time > last else { return }
        let gap = min(time - last, Self.longestProof)
        sum += gap
        longest = max(longest, gap)
        self.last = time
    }

    var isExpired: Bool { sum - longest >= Self.limit }
}
