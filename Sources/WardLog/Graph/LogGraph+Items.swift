/// A revision of an item in a log.
package struct LoggedRevision: Hashable, Sendable {
    /// The hash of its entry.
    package let hash: [UInt8]
    /// The position of its entry in the file.
    package let position: Int64
    package let device: DeviceID
    package let time: HybridTime
    package let record: RevisionEntry
}

/// The removal of an item.
package struct LoggedRemoval: Hashable, Sendable {
    package let item: LogItemID
    package let position: Int64
    package let time: HybridTime
}

extension LogGraph {
    /// The removals that count, in order of arrival.
    package func removals() -> [LoggedRemoval] {
        let everything = everything
        return nodes.compactMap { node in
            guard case .purge(let item) = node.content, isEffective(node, in: everything) else { return nil }
            return LoggedRemoval(item: item, position: node.position, time: node.time)
        }
    }

    /// The revisions that the removal at this position of the file removed; empty if the removal does not count.
    package func revisions(removedAt position: Int64) -> [LoggedRevision] {
        guard let node = nodes.first(where: { $0.position == position }), case .purge(let item) = node.content,
            isEffective(node, in: everything)
        else { return [] }
        return (items[item]?.nodes ?? []).filter { node.past.contains(nodes[$0]) }.compactMap { revision($0) }
    }

    /// The devices whose removals of items for good do not all count.
    package var devicesWithVoidRemovals: Set<DeviceID> {
        let removed = circleState?.removed ?? [:]
        guard !removed.isEmpty || !suspects.isEmpty else { return [] }
        var found: Set<DeviceID> = []
        for known in items.values {
            for node in known.nodes.lazy.map({ nodes[$0] }) {
                guard case .purge = node.content, !found.contains(node.device),
                    removed[node.device] != nil || suspects.contains(node.device),
                    !isEffective(node, in: everything)
                else { continue }
                found.insert(node.device)
            }
        }
        return found
    }

    /// The items that have a newest revision.
    package func itemIDs() -> [LogItemID] { items.keys.filter { !heads(of: $0).isEmpty } }

    /// The items that were removed for good.
    package func removedItemIDs() -> [LogItemID] { items.keys.filter { heads(of: $0).isEmpty } }

    /// The newest revisions of an item, ordered by hash: several if devices changed it at the same time, none after a removal.
    package func heads(of item: LogItemID) -> [LoggedRevision] {
        heads(of: item, in: everything).compactMap { revision($0) }
    }

    /// An item's newest revisions and all revisions that they build on, newest first.
    package func history(of item: LogItemID) -> [LoggedRevision] {
        let ancestry = ItemAncestry(self, item)
        let all = heads(of: item, in: everything).reduce(into: Bits()) { $0.formUnion(ancestry.set(of: $1)) }
        return ancestry.members(of: all).sorted { isEarlier($1, $0, byNumber: true) }.compactMap { revision($0) }
    }

    /// The void revisions of an item, newest first.
    package func voidRevisions(of item: LogItemID) -> [LoggedRevision] {
        let found = (items[item]?.nodes ?? []).filter { !isEffective(nodes[$0], in: everything) }
        return found.sorted { isEarlier($1, $0, byNumber: true) }.compactMap { revision($0) }
    }

    /// The number of void revisions of each of some devices; a device without one is left out.
    package func voidRevisions(by devices: Set<DeviceID>) -> [DeviceID: Int] {
        guard !devices.isEmpty else { return [:] }
        let everything = everything
        var counts: [DeviceID: Int] = [:]
        for item in items.values {
            for index in item.nodes {
                let device = nodes[index].device
                guard devices.contains(device), !isEffective(nodes[index], in: everything) else { continue }
                counts[device, default: 0] += 1
            }
        }
        return counts
    }

    /// The revisions of an item whose contents may be cleared: those that a removal removed, and those that are a hundred
    /// revisions older than a newest one.
    ///
    /// A merge treats them as empty, cleared or not. So the result is the same on all devices.
    package func clearableRevisions(of item: LogItemID) -> [LoggedRevision] {
        let heads = heads(of: item, in: everything)
        let ancestry = ItemAncestry(self, item)
        return (items[item]?.nodes ?? []).filter { isClearable($0, item, heads, ancestry) }.compactMap { revision($0) }
    }

    /// All items with revisions, including removed ones.
    package var allItemIDs: some Collection<LogItemID> { items.keys }

    /// A revision by its hash.
    package func revision(_ hash: [UInt8]) -> LoggedRevision? { places[hash].flatMap { revision($0) } }

    /// Whether an entry lies in the past of another.
    package func isPast(_ hash: [UInt8], of other: [UInt8]) -> Bool {
        guard let one = places[hash], let two = places[other], one != two else { return false }
        return nodes[two].past.contains(nodes[one])
    }

    func revision(_ index: Int) -> LoggedRevision? {
        let node = nodes[index]
        guard case .revision(let record, _) = node.content else { return nil }
        return LoggedRevision(
            hash: node.hash,
            position: node.position,
            device: node.device,
            time: node.time,
            record: record
        )
    }

    private func isEarlier(_ one: Int, _ other: Int, byNumber: Bool) -> Bool {
        let (mine, theirs) = (number(of: one), number(of: other))
        return mine == theirs ? isEarlier(one, other) : mine < theirs
    }
}

/// The ancestors of the revisions of an item.
///
/// Only those that are asked for are found: a set for each of many revisions would be a square of them in memory.
final class ItemAncestry {
    /// The revisions in order of arrival.
    private(set) var order: [Int] = []
    private var ordinals: [Int: Int] = [:]
    private var parents: [[Int]] = []
    private var sets: [Int: Bits] = [:]

    init(_ graph: LogGraph, _ item: LogItemID) {
        for index in graph.items[item]?.nodes ?? [] {
            guard case .revision(_, let named) = graph.nodes[index].content else { continue }
            ordinals[index] = order.count
            order.append(index)
            parents.append(named.compactMap { ordinals[$0] })
        }
    }

    /// A revision and all its ancestors.
    func set(of index: Int) -> Bits { ordinals[index].map { set(ofOrdinal: $0) } ?? Bits() }

    private func set(ofOrdinal ordinal: Int) -> Bits {
        if let known = sets[ordinal] { return known }
        var set = Bits()
        var rest = [ordinal]
        while let next = rest.popLast() {
            guard !set.contains(next) else { continue }
            if let known = sets[next] {
                set.formUnion(known)
            } else {
                set.insert(next)
                rest += parents[next]
            }
        }
        sets[ordinal] = set
        return set
    }

    func isAncestor(_ index: Int, of other: Int) -> Bool {
        guard index != other, let ordinal = ordinals[index] else { return false }
        return set(of: other).contains(ordinal)
    }

    func members(of set: Bits) -> [Int] { set.members.map { order[$0] } }

    /// The members that are not an ancestor of another member.
    func maximal(_ set: Bits) -> [Int] {
        var rest = set
        var found: [Int] = []
        // A later revision is never an ancestor of an earlier one.
        while let last = rest.last {
            found.append(order[last])
            rest.subtract(self.set(ofOrdinal: last))
        }
        return found
    }
}
