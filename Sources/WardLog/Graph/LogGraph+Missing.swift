/// Data that may be missing, and data that is needed.
extension LogGraph {
    /// The revisions of an item whose data devices may have cleared, each with the earliest time of what took its place.
    ///
    /// A removal of the item for good allows that, and so does a revision that was made from it and is a hundred numbers newer. They
    /// counted when somebody cleared the data, and it may have turned out later that they do not. Then the data can be nowhere, and
    /// everything that names the revision is taken all the same. What a merge leaves out is what ``clearableRevisions(of:)`` says.
    package func perhapsCleared(of item: LogItemID) -> [[UInt8]: HybridTime] {
        let known = items[item]?.nodes ?? []
        let removedAt = removalTimes(known)
        var newest: [Int: UInt64] = [:]
        var replacedAt: [Int: HybridTime] = [:]
        var found: [[UInt8]: HybridTime] = [:]
        // An earlier entry is never made from a later one.
        for index in known.reversed() {
            let node = nodes[index]
            guard case .revision(let record, let parents) = node.content else { continue }
            let reached = max(record.number, newest[index] ?? 0)
            let isDeep = reached - record.number >= Self.keptRevisions
            found[node.hash] = [removedAt[index], isDeep ? replacedAt[index] : nil].compactMap { $0 }.min()
            for parent in parents {
                newest[parent] = max(newest[parent] ?? 0, reached)
                replacedAt[parent] = min(replacedAt[parent] ?? node.time, node.time)
            }
        }
        return found
    }

    /// The earliest time of a removal for good that knows an entry, for each such one of some entries of an item.
    ///
    /// A removal that knows an entry knows all those before it on its chain. So each entry is looked at once, however many removals a
    /// stolen device writes.
    private func removalTimes(_ known: [Int]) -> [Int: HybridTime] {
        var purges: [Int] = []
        var chains: [Int: [Int]] = [:]
        for index in known {
            if case .purge = nodes[index].content {
                purges.append(index)
            } else {
                chains[nodes[index].past.branch, default: []].append(index)
            }
        }
        guard !purges.isEmpty else { return [:] }
        for branch in chains.keys { chains[branch]?.sort { nodes[$0].past.sequence < nodes[$1].past.sequence } }
        var found: [Int: HybridTime] = [:]
        var done: [Int: Int] = [:]
        for purge in purges.sorted(by: { nodes[$0].time < nodes[$1].time }) {
            for (branch, chain) in chains {
                let limit = nodes[purge].past.limit(branch)
                var next = done[branch] ?? 0
                while next < chain.count, nodes[chain[next]].past.sequence <= limit {
                    found[chain[next]] = nodes[purge].time
                    next += 1
                }
                done[branch] = next
            }
        }
        return found
    }

    /// The attached contents that are needed and that devices may have cleared: a removal for good knows a revision that names one, and
    /// a revision that came beside the removal names it too.
    package var contentsBesideRemovals: Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for (item, entries) in attached {
            let known = items[item]?.nodes ?? []
            let removedAt = removalTimes(known)
            guard !removedAt.isEmpty else { continue }
            let removed = known.reduce(into: Set<[UInt8]>()) { named, index in
                guard removedAt[index] != nil, case .revision(let record, _) = nodes[index].content else { return }
                named.formUnion(record.contents)
            }
            let candidates = entries.filter { nodes[$0].contentHash.map { removed.contains($0) } ?? false }
            found.formUnion(entriesInUse(Set(candidates.map { nodes[$0].hash }), of: item))
        }
        return found
    }

    /// Those of some revisions and attached contents of an item whose data is needed.
    ///
    /// It is that of the newest revisions and of those that they were made from, unless it can be cleared. Nobody needs the data of
    /// another revision that does not count.
    package func entriesInUse(_ hashes: Set<[UInt8]>, of item: LogItemID) -> Set<[UInt8]> {
        let clearing = Clearing(self, item)
        let ancestry = ItemAncestry(self, item)
        let all = heads(of: item, in: everything).reduce(into: Bits()) { $0.formUnion(ancestry.set(of: $1)) }
        let inUse = Set(ancestry.members(of: all).filter { !clearing.contains(nodes[$0].hash) })
        let contents = inUse.reduce(into: Set<[UInt8]>()) { named, index in
            guard case .revision(let record, _) = nodes[index].content else { return }
            named.formUnion(record.contents)
        }
        return hashes.filter { hash in
            guard let place = places[hash] else { return false }
            return inUse.contains(place) || nodes[place].contentHash.map { contents.contains($0) } ?? false
        }
    }
}
