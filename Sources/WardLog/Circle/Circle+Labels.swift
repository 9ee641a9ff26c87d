extension Circle {
    /// Decides all operations at once, as cautiously as possible.
    ///
    /// An operation counts if it is alive although everything that could take it away did. It is void if it is not alive although
    /// only what counts took something away. What is left over is contested.
    ///
    /// This is the grounded labelling of Dung's argumentation frameworks, with rows of admissions. It is the least fixpoint of a
    /// monotone function, so there is exactly one.
    mutating func labels(_ standing: [Int], _ reaches: [CircleReach], contested: Set<Int>) -> [CircleLabel?] {
        var attacks = [[Attack]](repeating: [], count: nodes.count)
        var takesAway = [[Int]](repeating: [], count: nodes.count)
        func add(_ removal: Int, _ operation: Int, _ hit: Bits) {
            attacks[operation].append(Attack(by: removal, hit: hit))
            takesAway[removal].append(operation)
        }
        for reach in reaches {
            let isRemoval = nodes[reach.operation].isRemoval
            guard reach.always ? reach.first == .one : rules.takesAway(isRemoval: isRemoval, first: reach.first) else {
                continue
            }
            add(reach.removal, reach.operation, reach.hit)
        }
        for answer in standing {
            for closed in nodes[answer].closes {
                var hit = Bits()
                hit.insert(closed)
                add(answer, closed, hit)
            }
        }
        var labels = [CircleLabel?](repeating: nil, count: nodes.count)
        var open = standing.filter { !contested.contains($0) }
        while let place = open.popLast() {
            guard labels[place] == nil else { continue }
            work.decisions += 1
            work.steps += 1 + attacks[place].count
            if isAlive(place, attacks[place], labels, against: { $0 != .isVoid }) {
                labels[place] = .counts
            } else if !isAlive(place, attacks[place], labels, against: { $0 == .counts }) {
                labels[place] = .isVoid
            } else {
                continue
            }
            open += takesAway[place].filter { labels[$0] == nil && !contested.contains($0) }
        }
        for place in standing where labels[place] == nil { labels[place] = .isContested }
        return labels
    }

    /// An operation that could take another one away, and what it hits.
    private struct Attack {
        let by: Int
        let hit: Bits
    }

    private func isAlive(
        _ place: Int,
        _ attacks: [Attack],
        _ labels: [CircleLabel?],
        against isAgainst: (CircleLabel?) -> Bool
    ) -> Bool {
        let against = attacks.filter { isAgainst(labels[$0.by]) }
        return against.isEmpty || isAlive(place) { basis in against.contains { $0.hit.contains(basis) } }
    }

    /// The operations that removals which count reach, also those that were first.
    func overtaken(_ reaches: [CircleReach], _ labels: [CircleLabel?]) -> Set<Int> {
        var hits: [Int: Bits] = [:]
        for reach in reaches where labels[reach.removal] == .counts {
            hits[reach.operation, default: Bits()].formUnion(reach.hit)
        }
        return Set(hits.filter { hit in !isAlive(hit.key) { hit.value.contains($0) } }.keys)
    }
}
