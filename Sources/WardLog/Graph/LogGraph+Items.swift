/// A revision of an item in a log.
package struct LoggedRevision: Hashable, Sendable {
    /// The hash of its entry.
    package let hash: [UInt8]
    /// Where its entry lies in the file.
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
    /// The removals that count, in the order in which they came.
    package func removals() -> [LoggedRemoval] {
        let everything = everything
        return nodes.compactMap { node in
            guard case .purge(let item) = node.content, isEffective(node, in: everything) else { return nil }
            return LoggedRemoval(item: item, position: node.position, time: node.time)
        }
    }

    /// What the removal at a place of the file removed: the revisions in its past, if the removal counts.
    package func revisions(removedAt position: Int64) -> [LoggedRevision] {
        guard let node = nodes.first(where: { $0.position == position }), case .purge(let item) = node.content,
            isEffective(node, in: everything)
        else { return [] }
        return (items[item]?.nodes ?? []).filter { node.past.contains(nodes[$0]) }.compactMap { revision($0) }
    }

    /// The items that have a newest revision.
    package func itemIDs() -> [LogItemID] { items.keys.filter { !heads(of: $0).isEmpty } }

    /// The items that were removed for good.
    package func removedItemIDs() -> [LogItemID] { items.keys.filter { heads(of: $0).isEmpty } }

    /// The newest revisions of an item, in the order of their hashes: more than one where devices changed it side by side, none
    /// after a removal.
    package func heads(of item: LogItemID) -> [LoggedRevision] {
        heads(of: item, in: everything).compactMap { revision($0) }
    }

    /// What led to an item's newest revisions, with these, newest first.
    package func history(of item: LogItemID) -> [LoggedRevision] {
        let ancestry = ItemAncestry(self, item)
        let all = heads(of: item, in: everything).reduce(into: Bits()) { $0.formUnion(ancestry.set(of: $1)) }
        return ancestry.members(of: all).sorted { isEarlier($1, $0, byNumber: true) }.compactMap { revision($0) }
    }

    /// The revisions of an item that count for nothing, because of the device that made them, newest first.
    package func voidRevisions(of item: LogItemID) -> [LoggedRevision] {
        let found = (items[item]?.nodes ?? []).filter { !isEffective(nodes[$0], in: everything) }
        return found.sorted { isEarlier($1, $0, byNumber: true) }.compactMap { revision($0) }
    }

    /// The revisions of an item whose contents may be cleared, and which count as empty where they are the base of a merge: those
    /// in the past of a removal that counts, and those a hundred revisions below a newest one.
    ///
    /// Whether they are still there makes no difference, so all devices join alike.
    package func clearableRevisions(of item: LogItemID) -> [LoggedRevision] {
        let heads = heads(of: item, in: everything)
        let ancestry = ItemAncestry(self, item)
        return (items[item]?.nodes ?? []).filter { isClearable($0, item, heads, ancestry) }.compactMap { revision($0) }
    }

    /// The items that have revisions, also those that were removed.
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

/// Which revisions of an item were made from which.
struct ItemAncestry {
    /// The revisions in the order in which they came.
    private(set) var order: [Int] = []
    private var ordinals: [Int: Int] = [:]
    private var sets: [Bits] = []

    init(_ graph: LogGraph, _ item: LogItemID) {
        for index in graph.items[item]?.nodes ?? [] {
            guard case .revision(_, let parents) = graph.nodes[index].content else { continue }
            let ordinal = order.count
            var set = Bits()
            for parent in parents { if let place = ordinals[parent] { set.formUnion(sets[place]) } }
            set.insert(ordinal)
            order.append(index)
            ordinals[index] = ordinal
            sets.append(set)
        }
    }

    /// A revision and all that it was made from.
    func set(of index: Int) -> Bits { ordinals[index].map { sets[$0] } ?? Bits() }

    func isAncestor(_ index: Int, of other: Int) -> Bool {
        guard index != other, let ordinal = ordinals[index] else { return false }
        return set(of: other).contains(ordinal)
    }

    func members(of set: Bits) -> [Int] { set.members.map { order[$0] } }

    /// Those from which no other of them was made.
    func maximal(_ set: Bits) -> [Int] {
        var rest = set
        var found: [Int] = []
        // What came later was never an ancestor of what came before.
        while let last = rest.last {
            found.append(order[last])
            rest.subtract(sets[last])
        }
        return found
    }
}

/// A set of small numbers.
struct Bits: Hashable {
    private var words: [UInt64] = []

    mutating func insert(_ number: Int) {
        let word = number / 64
        if words.count <= word { words += repeatElement(0, count: word + 1 - words.count) }
        words[word] |= 1 << UInt64(number % 64)
    }

    mutating func formUnion(_ other: Bits) {
        if words.count < other.words.count { words += repeatElement(0, count: other.words.count - words.count) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }

    mutating func formIntersection(_ other: Bits) {
        if words.count > other.words.count { words.removeLast(words.count - other.words.count) }
        for index in words.indices { words[index] &= other.words[index] }
    }

    mutating func subtract(_ other: Bits) {
        for index in 0..<min(words.count, other.words.count) { words[index] &= ~other.words[index] }
    }

    func contains(_ number: Int) -> Bool {
        number / 64 < words.count && words[number / 64] & (1 << UInt64(number % 64)) != 0
    }

    /// The largest member.
    var last: Int? {
        for (index, word) in words.enumerated().reversed() where word != 0 {
            return index * 64 + 63 - word.leadingZeroBitCount
        }
        return nil
    }

    var members: [Int] { (0..<(words.count * 64)).filter { contains($0) } }
}
