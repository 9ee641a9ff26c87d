/// The rule that was tried first, kept to show why it was given up.
///
/// A removal names the last sequence of each device that still counts, and is effective if its author is a member. It wins over
/// what its author's own removal would cut. What a newcomer wrote is void if its admission is.
struct OldCircleRule {
    struct Entry {
        var author: Int
        var sequence: Int
        var admits: Int?
        /// The removed devices, each with its last sequence that counts.
        var cuts: [Int: Int] = [:]
        var past: UInt32
    }

    let first: Int
    let entries: [Entry]

    init(first: Int, entries: [Entry]) {
        self.first = first
        self.entries = entries
    }

    init<Rules>(_ history: CircleHistory<Rules>) {
        var sequences: [Int: Int] = [:]
        var found: [Entry] = []
        for (place, step) in history.steps.enumerated() {
            sequences[step.author, default: 0] += 1
            var entry = Entry(author: step.author, sequence: sequences[step.author] ?? 0, past: history.pasts[place])
            switch step.kind {
            case .admit(let device): entry.admits = device
            case .remove(let devices):
                for device in 0..<32 where devices & 1 << UInt32(device) != 0 {
                    entry.cuts[device] =
                        found.indices.filter {
                            found[$0].author == device && step.view & 1 << UInt32($0) != 0
                        }.count
                }
            default: break
            }
            found.append(entry)
        }
        self.init(first: history.first, entries: found)
    }

    /// The sets of removals that agree with themselves.
    func fixpoints() -> [Set<Int>] {
        let removals = entries.indices.filter { !entries[$0].cuts.isEmpty }
        return (0..<(1 << removals.count)).map { bits in
            Set(removals.indices.filter { bits & 1 << $0 != 0 }.map { removals[$0] })
        }.filter { chosen in
            let cuts = cuts(chosen)
            return Set(removals.filter { isAdmitted(entries[$0].author, cuts, depth: 0) }) == chosen
        }
    }

    /// The members, when a removal is effective if its author was a member in its past.
    func members() -> Set<Int> { members(in: .max) }

    private func members(in set: UInt32) -> Set<Int> {
        let effective = entries.indices.filter { place in
            set & 1 << UInt32(place) != 0 && !entries[place].cuts.isEmpty
                && members(in: entries[place].past).contains(entries[place].author)
        }
        let cuts = cuts(Set(effective))
        let admitted = entries.indices.filter { set & 1 << UInt32($0) != 0 }.compactMap { entries[$0].admits }
        return Set((0..<first) + admitted).filter { cuts[$0] == nil && isAdmitted($0, cuts, depth: 0) }
    }

    private func cuts(_ removals: Set<Int>) -> [Int: Int] {
        var cuts: [Int: Int] = [:]
        for removal in removals { cuts.merge(entries[removal].cuts) { min($0, $1) } }
        return cuts
    }

    private func isAdmitted(_ device: Int, _ cuts: [Int: Int], depth: Int) -> Bool {
        guard device >= first else { return true }
        return depth < 8
            && entries.contains { entry in
                entry.admits == device && entry.sequence <= cuts[entry.author] ?? .max
                    && isAdmitted(entry.author, cuts, depth: depth + 1)
            }
    }
}
