/// The functions that merge revisions.
///
/// The log cannot open items, so the caller gives them.
package struct RevisionMerge<State, Failure: Error> {
    /// The state of an item before its first revision.
    package var empty: State
    /// Reads the state of a revision.
    package var read: (LoggedRevision) throws(Failure) -> State
    /// Merges two states that were made from one base.
    package var join: (_ base: State, _ earlier: State, _ later: State) throws(Failure) -> State

    package init(
        empty: State,
        read: @escaping (LoggedRevision) throws(Failure) -> State,
        join: @escaping (_ base: State, _ earlier: State, _ later: State) throws(Failure) -> State
    ) {
        self.empty = empty
        self.read = read
        self.join = join
    }
}

extension LogGraph {
    /// A revision that is this many revisions older than the newest one may be cleared; as a base it then counts as empty.
    package static let keptRevisions: UInt64 = 100
    /// The maximum depth of bases that are merges themselves; below it, an empty base is used.
    static let maximumDepth = 16

    /// The state of an item: its newest revision, or a merge of all its newest revisions.
    ///
    /// Revisions are merged in order of time, device and hash. The base of two revisions is their newest common ancestor; if
    /// there are several, they are merged first by the same rule. The result depends only on the set of entries.
    ///
    /// - Returns: The state, or `nil` if the item does not exist or was removed.
    /// - Throws: The errors of `merge`.
    package func state<State, Failure: Error>(
        of item: LogItemID,
        _ merge: RevisionMerge<State, Failure>
    ) throws(Failure) -> State? {
        let heads = heads(of: item, in: everything)
        guard heads.count > 1 else {
            guard let revision = heads.first.flatMap({ revision($0) }) else { return nil }
            return try merge.read(revision)
        }
        var folding = Folding(self, item, heads, merge)
        return try folding.state(heads, depth: 0)
    }

    /// The revisions that the state of an item is made from: its newest ones, and those on which they are merged.
    package func revisionsOfState(of item: LogItemID) -> [LoggedRevision] {
        var found: [LoggedRevision] = []
        let merge = RevisionMerge<Bool, Never>(
            empty: true,
            read: { revision in
                found.append(revision)
                return true
            },
            join: { _, _, _ in true }
        )
        _ = state(of: item, merge)
        return found
    }

    /// Whether a revision may be cleared; see ``clearableRevisions(of:)``.
    func isClearable(_ index: Int, _ item: LogItemID, _ heads: [Int], _ ancestry: ItemAncestry) -> Bool {
        let isDeep = heads.contains { head in
            number(of: head) >= number(of: index) + Self.keptRevisions
                && ancestry.isAncestor(index, of: head)
        }
        return isDeep || isRemoved(index, item)
    }

    private func isRemoved(_ index: Int, _ item: LogItemID) -> Bool {
        (items[item]?.nodes ?? []).contains { other in
            guard case .purge = nodes[other].content else { return false }
            return nodes[other].past.contains(nodes[index]) && isEffective(nodes[other], in: everything)
        }
    }
}

/// The work of one merge.
private struct Folding<State, Failure: Error> {
    let graph: LogGraph
    let item: LogItemID
    let heads: [Int]
    let merge: RevisionMerge<State, Failure>
    let ancestry: ItemAncestry
    var done: [[Int]: State] = [:]

    init(_ graph: LogGraph, _ item: LogItemID, _ heads: [Int], _ merge: RevisionMerge<State, Failure>) {
        self.graph = graph
        self.item = item
        self.heads = heads
        self.merge = merge
        ancestry = ItemAncestry(graph, item)
    }

    mutating func state(_ revisions: [Int], depth: Int) throws(Failure) -> State {
        let revisions = revisions.sorted { graph.isEarlier($0, $1) }
        if let state = done[revisions] { return state }
        var state = merge.empty
        var covered = Bits()
        for (number, index) in revisions.enumerated() {
            let next = try read(index, isBase: depth > 0)
            let set = ancestry.set(of: index)
            if number == 0 {
                state = next
            } else {
                var common = covered
                common.formIntersection(set)
                state = try merge.join(base(ancestry.maximal(common), depth: depth + 1), state, next)
            }
            covered.formUnion(set)
        }
        done[revisions] = state
        return state
    }

    private mutating func base(_ revisions: [Int], depth: Int) throws(Failure) -> State {
        guard !revisions.isEmpty, depth <= LogGraph.maximumDepth else { return merge.empty }
        return try state(revisions, depth: depth)
    }

    private func read(_ index: Int, isBase: Bool) throws(Failure) -> State {
        if isBase, graph.isClearable(index, item, heads, ancestry) { return merge.empty }
        guard let revision = graph.revision(index) else { return merge.empty }
        return try merge.read(revision)
    }
}
