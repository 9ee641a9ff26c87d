/// All entries that an entry builds on: those before it on its own branch, and what these and it have named.
///
/// A branch is a chain without forks. An honest device has one. So the past of an entry is one number for each branch: how far
/// it reaches there.
struct Past: Sendable {
    /// The branch that the entry is on, and how far the past reaches there.
    var branch: Int
    var sequence: UInt64
    /// How far the past reaches on the other branches; 0, or nothing at the end, where it does not reach.
    ///
    /// Shared by all entries of a run in which no other device was heard of.
    var others: [UInt64]

    func limit(_ branch: Int) -> UInt64 {
        if branch == self.branch { return sequence }
        return branch < others.count ? others[branch] : 0
    }

    func contains(_ node: LogGraph.Node) -> Bool { limit(node.past.branch) >= node.past.sequence }

    /// Adds an entry of another branch with all that it builds on.
    mutating func unite(with other: Past) {
        if others.count < other.others.count {
            others += repeatElement(0, count: other.others.count - others.count)
        }
        for (index, limit) in other.others.enumerated() where limit > others[index] { others[index] = limit }
        reach(other.branch, other.sequence)
    }

    mutating func reach(_ branch: Int, _ sequence: UInt64) {
        if others.count <= branch { others += repeatElement(0, count: branch + 1 - others.count) }
        others[branch] = max(others[branch], sequence)
    }
}
