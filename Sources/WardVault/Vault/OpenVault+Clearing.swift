internal import WardLog
internal import WardWebAuthn

/// The rules for removing contents from the file permanently.
///
/// Contents are removed late, by the time that this device itself has seen. A stolen device may remove everything and write a
/// hundred revisions of each item. The person then has weeks to remove that device. Until a question in the circle is answered, nothing
/// is removed: the answer may say that a device did not count.
extension OpenVault {
    /// How long a revision must be superseded before its content is removed.
    private static let supersededDays: Int64 = 90
    /// How long an item must be removed before its contents are removed.
    private static let removedDays: Int64 = 30

    /// The revisions of an item that are not among the latest ones, and that were superseded long enough ago.
    func surplus(_ id: ItemID) throws(VaultError) -> [Int64] {
        guard !hasQuestion, try heads(id).count == 1 else { return [] }
        var count = 1
        var newer: Int64 = .max
        var found: [(position: Int64, supersededBy: Int64)] = []
        let latest = environment.effects.now() - Self.supersededDays * ProvenAge.day
        var supersededAt: Int64 = .max
        var hasContents = false
        // Only revisions that count supersede others. If only one device wrote the log, all revisions count.
        let graph = chain.devices.count > 1 ? try graph() : nil
        try forEachRevision(id) { (position, row, signed, record) throws(VaultError) in
            count += 1
            let isEffective = graph?.isEffective(signed.hash) ?? true
            defer { if isEffective { (newer, supersededAt) = (position, signed.entry.time.seconds) } }
            // The common base of several newest revisions may be needed for a merge, so it stays.
            guard record.parents.count <= 1 else { return false }
            guard count > Self.keptRevisions else { return true }
            guard row.blob != nil else { return false }
            if supersededAt <= latest { found.append((position, newer)) }
            if !record.contents.isEmpty { hasContents = true }
            return true
        }
        guard let first = found.map(\.supersededBy).min() else { return [] }
        let times = try ownTimes(behind: first)
        let cleared = found.filter { isProven(Self.supersededDays, since: $0.supersededBy, times) }.map(\.position)
        guard hasContents, !cleared.isEmpty else { return cleared }
        return try cleared + contents(of: [id.logged], clearedWith: cleared)
    }

    /// Removes the contents of items that were permanently removed long enough ago.
    ///
    /// - Returns: How many revisions were cleared.
    @discardableResult
    func clearRemoved() throws(VaultError) -> Int {
        guard !hasQuestion else { return 0 }
        let latest = environment.effects.now() - Self.removedDays * ProvenAge.day
        let old = removals.filter { $0.time <= latest }
        guard let first = old.map(\.position).min() else { return 0 }
        let times = try ownTimes(behind: first - 1)
        let due = old.filter { isProven(Self.removedDays, since: $0.position, times) }
        guard !due.isEmpty else { return 0 }
        let graph = try graph()
        var cleared: [Int64] = []
        for removal in due {
            for revision in graph.revisions(removedAt: removal.position) {
                if try database.hasBlob(at: revision.position) { cleared.append(revision.position) }
            }
        }
        let count = cleared.count
        cleared += try contents(of: Set(due.map(\.item.logged)), clearedWith: cleared)
        if !cleared.isEmpty {
            try database.append([], clearingBlobs: cleared)
            // What lacks data is looked for again.
            lacking = nil
        }
        removals.removeAll { due.contains($0) }
        writeIndex()
        return count
    }

    private var hasQuestion: Bool { chain.circle?.isFrozen ?? false }

    /// The times when this device wrote entries after a position.
    ///
    /// Only its own clock counts.
    private func ownTimes(behind position: Int64) throws(VaultError) -> [(position: Int64, time: Int64)] {
        var times: [(Int64, Int64)] = []
        try database.forEachRow(after: position, withBlobs: false) { row in
            let entry = try SignedEntry(row).entry
            if entry.device == device.device { times.append((row.position, entry.time.seconds)) }
        }
        return times
    }

    private func isProven(_ days: Int64, since position: Int64, _ times: [(position: Int64, time: Int64)]) -> Bool {
        var age = ProvenAge(days: days)
        for entry in times where entry.position >= position { age.advance(to: entry.time) }
        age.advance(to: environment.effects.now())
        return age.isProven
    }
}
