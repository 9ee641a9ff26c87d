/// All entries that an entry builds on: the earlier ones on its own branch, and all that they and the entry name.
///
/// A branch is a chain without forks. An honest device has one. So a past is one number for each branch: the sequence number
/// of the last entry that it includes.
struct Past: Sendable {
    /// The branch of the entry, and the sequence number of the last entry there.
    var branch: Int
    var sequence: UInt64
    /// The sequence number of the last entry on each other branch; 0 if there is no entry.
    ///
    /// Zeros at the end may be left out. Consecutive entries that name no other device share this array.
    var others: [UInt64]

    func limit(_ branch: Int) -> UInt64 {
        if branch == self.branch { return sequence }
        return branch < others.count ? others[branch] : 0
    }

    func contains(_ node: LogGraph.Node) -> Bool { limit(node.past.branch) >= node.past.sequence }

    /// Adds an entry of another branch and its past.
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
