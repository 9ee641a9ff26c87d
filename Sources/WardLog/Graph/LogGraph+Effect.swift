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
        isAllowed(node, in: known) && node.sequence < voidSequence(of: node.device, in: known) ?? .max
    }

    private func voidSequence(of device: DeviceID, in known: Knowledge) -> UInt64? {
        suspects.contains(device) ? voidSequence(of: device, in: known.past) : nil
    }

    /// Whether an entry counts; `false` also if it is unknown.
    package func isEffective(_ hash: [UInt8]) -> Bool {
        places[hash].map { isEffective(nodes[$0], in: everything) } ?? false
    }

    /// The newest revisions and removals of an item in a past: they count, and nothing that counts takes their place.
    ///
    /// The cost depends on the number of branches, and hardly on that of the entries: a device can write any number of them.
    func maximal(of item: LogItemID, in past: Knowledge) -> [Int] {
        guard let log = items[item] else { return [] }
        // What of each chain is to be looked at.
        var rests = counting(log.chains, in: past).map { 0..<$0 }
        var (found, removals): ([Int], [Int]) = ([], [])
        // An earlier entry never has a later one in its past.
        while let chain = Self.latest(log.chains, rests) {
            rests[chain] = rests[chain].dropLast()
            let index = log.chains[chain].nodes[rests[chain].upperBound]
            guard !removals.contains(where: { supersedes($0, index) }) else { continue }
            let isRemoval = if case .purge = nodes[index].content { true } else { false }
            let isNewest = !found.contains { supersedes($0, index) }
            // A revision after a removal does not bring back what the removal knew.
            if isRemoval { removals.append(index) }
            if isNewest { found.append(index) }
            if isRemoval || isNewest { leaveOut(behind: index, log, &rests) }
        }
        return found
    }

    /// How many entries of each chain of an item count in a past: those at its beginning.
    private func counting(_ chains: [ItemLog.Chain], in past: Knowledge) -> [Int] {
        var limits: [DeviceID: UInt64] = [:]
        return chains.map { chain in
            let device = branches[chain.branch].device
            let limit = limits[device] ?? voidSequence(of: device, in: past) ?? .max
            limits[device] = limit
            return chain.count { index in
                let node = nodes[index]
                return past.contains(node) && node.sequence < limit && isAllowed(node, in: past)
            }
        }
    }

    /// The chain whose last entry arrived last, of those of which something is left.
    private static func latest(_ chains: [ItemLog.Chain], _ rests: [Range<Int>]) -> Int? {
        rests.indices.filter { !rests[$0].isEmpty }
            .max { chains[$0].nodes[rests[$0].upperBound - 1] < chains[$1].nodes[rests[$1].upperBound - 1] }
    }

    /// Leaves out the entries whose place an entry takes.
    ///
    /// If it takes the place of the last one of a chain that it knows, it takes those of all before. A removal that is left out may take
    /// away something of another chain. So with removals an entry must take the places of all that it knows.
    private func leaveOut(behind index: Int, _ log: ItemLog, _ rests: inout [Range<Int>]) {
        let known = log.chains.map { chain in chain.count { nodes[index].past.contains(nodes[$0]) } }
        let covered = known.indices.filter { chain in
            known[chain] == 0 || supersedes(index, log.chains[chain].nodes[known[chain] - 1])
        }
        guard !log.hasRemovals || covered.count == known.count else { return }
        for chain in covered {
            let rest = rests[chain]
            rests[chain] = min(max(rest.lowerBound, known[chain]), rest.upperBound)..<rest.upperBound
        }
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

extension LogGraph.ItemLog.Chain {
    /// How many entries at the beginning have something that no entry has after one without it.
    fileprivate func count(_ holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(nodes[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
