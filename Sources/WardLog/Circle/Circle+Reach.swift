extension Circle {
    /// Finds which operations a new operation reaches, and which reach it.
    ///
    /// It depends on the operations and their pasts, and never changes. The admissions of an operation's author are in its past,
    /// so they come before it, and nothing here calls itself.
    mutating func findReach(of place: Int) {
        for other in reaching { findReach(of: other, on: place) }
        guard nodes[place].isRemoval || !nodes[place].replaces.isEmpty else { return }
        for other in standing.members where other < place { findReach(of: place, on: other) }
        reaching.append(place)
    }

    /// Finds what a removal hits of all that an operation rests on: the operation itself, and the admissions of its author, of their
    /// authors, and so on.
    private mutating func findReach(of removal: Int, on operation: Int) {
        work.reaches += 1
        work.steps += 1 + operation / 512
        guard isOpen(operation, to: removal) else { return }
        var hit = Bits()
        for basis in nodes[operation].basis.members where isOpen(basis, to: removal) && isHit(basis, by: removal) {
            hit.insert(basis)
        }
        guard !hit.isEmpty else { return }
        hits[removal, default: [:]][operation] = hit
        work.steps += CircleWork.stepsOfWord * (16 + operation / 64)
        if nodes[removal].isRemoval, asksAlways || nodes[operation].isRemoval {
            asking.insert(removal)
            asking.insert(operation)
        }
        if !nodes[removal].isRemoval, !isAlive(operation, { hit.contains($0) }) {
            replaced[removal, default: Bits()].insert(operation)
        }
    }

    /// Whether a removal may reach an operation: it does not know the operation, and the operation does not answer it.
    ///
    /// The operation may know the removal. It stands then because the removal was void by what it knows, and the removal may count
    /// by what is known now.
    private func isOpen(_ operation: Int, to removal: Int) -> Bool {
        nodes[removal].author != nodes[operation].author && !nodes[removal].past.contains(operation)
            && !nodes[operation].closes.contains(removal)
    }

    /// Whether a removal removes the author of an operation, or new recovery keys replace the key that the operation came with.
    private func isHit(_ operation: Int, by removal: Int) -> Bool {
        let node = nodes[operation]
        if nodes[removal].isRemoval { return nodes[removal].targets.contains(devices[node.author]) }
        guard rules.newRecoveryKeysReplaceOldOnes, case .recover(let key) = node.entry.operation else { return false }
        return nodes[removal].replaces.contains(key)
    }

    /// Whether an operation is not hit itself, and at least one row of admissions that it rests on is not hit.
    ///
    /// Several removals can take an operation away together that none of them reaches alone: each hits another admission.
    func isAlive(_ operation: Int, _ isHit: (Int) -> Bool) -> Bool {
        // The places of a basis are in order: an admission is in the past of what rests on it.
        var alive: [Int: Bool] = [:]
        for place in nodes[operation].basis.members {
            let admissions = nodes[place].admissions.map { alive[$0] ?? true }
            alive[place] = !isHit(place) && rules.rests(on: admissions)
        }
        return alive[operation] ?? true
    }

    /// Whether it matters also for an operation that is no removal which of the two was first.
    private var asksAlways: Bool { !rules.takesAway(isRemoval: false, first: .other) }

    /// All pairs of an operation and one that hits it, or something that it rests on.
    mutating func reaches(_ standing: [Int], in set: Bits) -> [CircleReach] {
        var found: [CircleReach] = []
        for removal in reaching where set.contains(removal) {
            work.reaches += standing.count
            guard let hits = hits[removal] else { continue }
            for other in standing where other != removal {
                guard let hit = hits[other] else { continue }
                if !nodes[removal].isRemoval {
                    found.append(CircleReach(removal: removal, operation: other, hit: hit, first: .one, always: true))
                } else {
                    // New recovery keys are never taken away by what they reach.
                    let always = replaced[other]?.contains(removal) ?? false
                    let isAsked = !always && (asksAlways || nodes[other].isRemoval)
                    let first = isAsked ? first(removal, other, in: set) : always ? .other : nil
                    found.append(
                        CircleReach(removal: removal, operation: other, hit: hit, first: first, always: always)
                    )
                }
            }
        }
        return found
    }
}
