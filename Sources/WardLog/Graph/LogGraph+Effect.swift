extension LogGraph {
    /// The sequence number from which the entries of a device are void in a past; `nil` if all of them count.
    ///
    /// A device's entries are void from the point where it signed two entries with the same number, or an unknown operation
    /// that must not be ignored. Void entries stay in the log, and what other devices wrote after them still counts.
    func voidSequence(of device: DeviceID, in past: Past) -> UInt64? {
        guard let member = members[device], member.isSuspect else { return nil }
        let unknown = member.unknown.filter { past.limit($0.branch) >= $0.sequence }.map(\.sequence).min()
        let forked = forkedSequence(of: member, in: past)
        return [unknown, forked].compactMap { $0 }.min()
    }

    /// The smallest number with which a device signed two entries that are in a past.
    ///
    /// Branches in the order of where they begin: the first one that begins where an earlier one goes on is the first fork.
    private func forkedSequence(of member: Member, in past: Past) -> UInt64? {
        guard member.branches.count > 1 else { return nil }
        var reached: UInt64 = 0
        let present = member.branches.map { (first: branches[$0].first, limit: past.limit($0)) }
            .filter { $0.limit >= $0.first }.sorted { $0.first < $1.first }
        for branch in present {
            if reached >= branch.first { return branch.first }
            reached = max(reached, branch.limit)
        }
        return nil
    }

    /// The sequence number from which the entries of a device are void, by all known entries.
    package func voidSequence(of device: DeviceID) -> UInt64? {
        suspects.contains(device) ? voidSequence(of: device, in: everything.past) : nil
    }

    /// Whether a device signed two entries with the same number.
    package func isForked(_ device: DeviceID) -> Bool { (members[device]?.branches.count ?? 0) > 1 }

    /// The sequence number of a device's first entry with an unknown operation.
    package func firstUnknownEntry(of device: DeviceID) -> UInt64? { members[device]?.unknown.map(\.sequence).min() }

    /// Whether an entry counts for somebody who knows this.
    func isEffective(_ node: Node, in known: Knowledge) -> Bool {
        guard isAllowed(node, in: known) else { return false }
        guard suspects.contains(node.device), let limit = voidSequence(of: node.device, in: known.past) else {
            return true
        }
        return node.sequence < limit
    }

    /// Whether an entry counts; `false` also if it is unknown.
    package func isEffective(_ hash: [UInt8]) -> Bool {
        places[hash].map { isEffective(nodes[$0], in: everything) } ?? false
    }

    /// The newest revisions and removals of an item in a past: they count, and nothing that counts takes their place.
    func maximal(of item: LogItemID, in past: Knowledge) -> [Int] {
        var (found, removals): ([Int], [Int]) = ([], [])
        // An earlier entry never has a later one in its past.
        for index in (items[item]?.nodes ?? []).reversed() where past.contains(nodes[index]) {
            guard isEffective(nodes[index], in: past), !removals.contains(where: { supersedes($0, index) }) else {
                continue
            }
            let isNewest = !found.contains { supersedes($0, index) }
            // A revision after a removal does not bring back what the removal knew.
            if case .purge = nodes[index].content { removals.append(index) }
            if isNewest { found.append(index) }
        }
        return found
    }

    /// The newest revisions of an item in a past, ordered by hash; empty after a removal.
    func heads(of item: LogItemID, in past: Knowledge) -> [Int] {
        guard let log = items[item] else { return [] }
        let isAllKnown = suspects.isEmpty && isCirclePlain && log.tops.allSatisfy { past.contains(nodes[$0]) }
        return revisions(isAllKnown ? log.tops : maximal(of: item, in: past))
    }

    private func revisions(_ tops: [Int]) -> [Int] {
        let revisions = tops.filter { if case .revision = nodes[$0].content { true } else { false } }
        guard revisions.count > 1 else { return revisions }
        return revisions.sorted { nodes[$0].hash.lexicographicallyPrecedes(nodes[$1].hash) }
    }

    func number(of index: Int) -> UInt64 {
        if case .revision(let record, _) = nodes[index].content { record.number } else { 0 }
    }

    /// The current header in a past: the one with the largest generation, and of several with the same generation the latest.
    ///
    /// Once the circle has begun, its rules say which header is in force.
    func header(in past: Knowledge) -> (generation: UInt64, hash: [UInt8])? {
        if let state = past.circle {
            guard let place = state.header.flatMap({ places[$0.entry] }),
                case .header(let generation, let hash) = nodes[place].content
            else { return nil }
            return (generation, hash)
        }
        let known = headers.filter { past.contains(nodes[$0]) }
        let effective = known.filter { isEffective(nodes[$0], in: past) }
        // A vault needs a header: if every header is void, a void one is used.
        let best = (effective.isEmpty ? known : effective).max { one, other in
            guard case .header(let mine, _) = nodes[one].content, case .header(let theirs, _) = nodes[other].content,
                mine == theirs
            else { return generation(of: one) < generation(of: other) }
            return isEarlier(one, other)
        }
        guard let best, case .header(let generation, let hash) = nodes[best].content else { return nil }
        return (generation, hash)
    }

    private func generation(of index: Int) -> UInt64 {
        if case .header(let generation, _) = nodes[index].content { generation } else { 0 }
    }

    /// The current header; `nil` before the first.
    package var header: (generation: UInt64, hash: [UInt8])? { header(in: everything) }

    /// The order of entries that do not build on each other: by time, then device, then hash.
    func isEarlier(_ one: Int, _ other: Int) -> Bool {
        let (mine, theirs) = (nodes[one], nodes[other])
        if mine.time != theirs.time { return mine.time < theirs.time }
        if mine.device != theirs.device { return mine.device < theirs.device }
        return mine.hash.lexicographicallyPrecedes(theirs.hash)
    }
}
