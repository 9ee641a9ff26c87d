/// How far a log reached long ago.
package struct LogReach: Hashable, Sendable {
    /// The position of the last entry that was there.
    package var position: Int64
    /// The latest time that such an entry may claim, in seconds since 1970.
    package var time: Int64

    package init(position: Int64, time: Int64) {
        self.position = position
        self.time = time
    }
}

/// An entry whose blob can be cleared.
package struct ClearableEntry: Hashable, Sendable {
    package let position: Int64
    /// The position of the entry without which the blob would have to stay.
    ///
    /// Who reads the log from the beginning takes an entry without its blob once this one is there.
    package let allowedAt: Int64
}

/// What a server may clear.
extension LogGraph {
    /// How many entries are looked at for each revision, so that a device that writes many costs no more.
    private static let candidates = 8

    /// The revisions and contents that can be cleared because of entries that have been there for long.
    ///
    /// The rule is that for devices, asked of the past: a hundred revisions that are newer, or a removal, must have been there for so long.
    /// A stolen device that writes a hundred revisions of everything changes nothing until then, and nothing at all if it is removed in
    /// time, because only entries that count allow something. As on a device, an item with several newest revisions keeps everything,
    /// and so does a vault whose circle has an open question.
    ///
    /// - Parameters:
    ///   - superseded: Newer revisions count up to here.
    ///   - removed: Removals count up to here.
    /// - Returns: The entries, in order of their positions.
    package func clearable(superseded: LogReach, removed: LogReach) -> [ClearableEntry] {
        guard circleState?.isFrozen != true else { return [] }
        var found: [ClearableEntry] = []
        for item in items.keys {
            let allowed = clearableRevisions(of: item, superseded, removed)
            guard !allowed.isEmpty else { continue }
            found += allowed.map { ClearableEntry(position: nodes[$0.key].position, allowedAt: $0.value) }
            found += clearableContents(of: item, with: allowed)
        }
        return found.sorted { $0.position < $1.position }
    }

    /// The revisions of an item that can be cleared, each with the position of the entry that allows it.
    private func clearableRevisions(of item: LogItemID, _ superseded: LogReach, _ removed: LogReach) -> [Int: Int64] {
        let known = items[item]?.nodes ?? []
        let heads = heads(of: item, in: everything)
        guard heads.count <= 1 else { return [:] }
        var allowed: [Int: Int64] = [:]
        let purges = known.lazy.filter { isPurge($0) && isOld($0, removed) }.prefix(Self.candidates)
        for purge in purges {
            for index in known where !isPurge(index) && nodes[purge].past.contains(nodes[index]) {
                allowed[index] = min(allowed[index] ?? .max, nodes[purge].position)
            }
        }
        guard let head = heads.first, number(of: head) > Self.keptRevisions else { return allowed }
        let line = ancestors(of: head).filter { isOld($0, superseded) }
        guard let newest = line.max(by: { number(of: $0) < number(of: $1) }) else { return allowed }
        let ordered = line.sorted { (number(of: $0), nodes[$0].position) < (number(of: $1), nodes[$1].position) }
        for index in ancestors(of: newest) where number(of: newest) >= number(of: index) + Self.keptRevisions {
            let wanted = number(of: index) + Self.keptRevisions
            let start = ordered.partitioningIndex { number(of: $0) >= wanted }
            let nearest = ordered[start...].prefix(Self.candidates).first { nodes[$0].past.contains(nodes[index]) }
            let position = nodes[nearest ?? newest].position
            allowed[index] = min(allowed[index] ?? .max, position)
        }
        return allowed
    }

    /// The attached contents that can be cleared: those whose revisions all can.
    ///
    /// A device can attach the same content again later. Nothing allows clearing an entry that came after what would allow it.
    private func clearableContents(of item: LogItemID, with allowed: [Int: Int64]) -> [ClearableEntry] {
        guard let found = attached[item] else { return [] }
        var needed: Set<[UInt8]> = []
        var latest: [[UInt8]: Int64] = [:]
        for index in items[item]?.nodes ?? [] {
            guard case .revision(let record, _) = nodes[index].content else { continue }
            for hash in record.contents {
                if let position = allowed[index] {
                    latest[hash] = max(latest[hash] ?? 0, position)
                } else {
                    needed.insert(hash)
                }
            }
        }
        return found.compactMap { index in
            let node = nodes[index]
            guard let hash = node.contentHash, !needed.contains(hash), let allowedAt = latest[hash],
                node.position < allowedAt
            else { return nil }
            return ClearableEntry(position: node.position, allowedAt: allowedAt)
        }
    }

    private func isPurge(_ index: Int) -> Bool { if case .purge = nodes[index].content { true } else { false } }

    /// Whether an entry counts, was there long ago, and says so itself.
    private func isOld(_ index: Int, _ reach: LogReach) -> Bool {
        let node = nodes[index]
        return node.position <= reach.position && node.time.seconds <= reach.time && isEffective(node, in: everything)
    }

    /// A revision and all revisions that it was made from.
    private func ancestors(of index: Int) -> [Int] {
        var found = [index]
        var seen: Set<Int> = [index]
        var next = 0
        while next < found.count {
            if case .revision(_, let parents) = nodes[found[next]].content {
                for parent in parents where seen.insert(parent).inserted { found.append(parent) }
            }
            next += 1
        }
        return found
    }
}

extension [Int] {
    /// The first index at which a condition holds that holds for all later elements too.
    fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
