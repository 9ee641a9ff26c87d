extension Circle {
    /// Computes the circle after a set of entries that contains the past of each of its entries.
    mutating func evaluate(_ set: Bits) -> CircleEvaluation {
        work.evaluations += 1
        work.depth += 1
        work.deepest = max(work.deepest, work.depth)
        defer { work.depth -= 1 }
        var deciding = set
        deciding.formIntersection(self.standing)
        let standing = deciding.members
        work.steps += standing.count * standing.count + nodes.count / 8
        guard !standing.isEmpty else { return CircleEvaluation() }
        let reaches = reaches(standing, in: set)
        var labels = labels(standing, reaches, contested: [])
        if !rules.mayBeEmpty { labels = withoutEmptying(standing, reaches, labels) }
        var found = CircleEvaluation()
        // A removed device goes on writing beside its removal. What is void uses up nothing of the others' operations.
        found.state.operations = standing.count { labels[$0] != .isVoid }
        findMembers(standing, labels, &found)
        findKeys(standing, labels, reaches, &found)
        findStopped(set, &found)
        for reach in reaches where labels[reach.operation] == .isVoid && reach.first == nil {
            let node = nodes[reach.operation]
            let isAboutMembers = !node.targets.isDisjoint(with: found.state.members)
            if labels[reach.removal] == .counts, isAboutMembers { found.state.dropped.insert(node.entry.hash) }
        }
        return found
    }

    /// The devices that an operation admits.
    func admitted(by place: Int) -> Set<DeviceID> {
        switch nodes[place].entry.operation {
        case .begin(let members, _, _): members
        case .admit(let device): [device]
        case .recover: [nodes[place].entry.device]
        case .remove, .rekey, .recovery, .header, .rules, .place, .other, .unknown: []
        }
    }

    private func members(_ standing: [Int], _ labels: [CircleLabel?]) -> Set<DeviceID> {
        let counting = standing.filter { labels[$0] == .counts }
        let targets = counting.reduce(into: Set()) { $0.formUnion(nodes[$1].targets) }
        return counting.reduce(into: Set()) { $0.formUnion(admitted(by: $1)) }.subtracting(targets)
    }

    /// Contests removals until somebody is left.
    ///
    /// First those that count and do not know each other. Nobody may be left all the same: the last of a row of removals left
    /// devices whose admission new recovery keys have taken away, or that an earlier removal takes away which was void when it was
    /// written. So then the newest are contested, step by step. The devices that began the circle are members if no removal counts,
    /// so somebody is left in the end.
    private mutating func withoutEmptying(
        _ standing: [Int],
        _ reaches: [CircleReach],
        _ first: [CircleLabel?]
    ) -> [CircleLabel?] {
        guard members(standing, first).isEmpty else { return first }
        var contested = Set(rivals(standing, first))
        var found = labels(standing, reaches, contested: contested)
        while members(standing, found).isEmpty {
            let removals = standing.filter { found[$0] == CircleLabel.counts && nodes[$0].isRemoval }
            guard !removals.isEmpty else { break }
            contested.formUnion(newest(removals))
            found = labels(standing, reaches, contested: contested)
        }
        return found
    }

    /// The removals that count and do not know each other: together they leave nobody, so none of them counts.
    private func rivals(_ standing: [Int], _ labels: [CircleLabel?]) -> [Int] {
        let removals = standing.filter { labels[$0] == .counts && nodes[$0].isRemoval }
        return removals.filter { one in
            removals.contains { other in
                other != one && !nodes[one].past.contains(other) && !nodes[other].past.contains(one)
            }
        }
    }

    private func findMembers(_ standing: [Int], _ labels: [CircleLabel?], _ found: inout CircleEvaluation) {
        var uncertain: Set<DeviceID> = []
        for place in standing {
            let node = nodes[place]
            switch labels[place] {
            case .counts:
                for device in admitted(by: place) {
                    found.state.members.insert(device)
                    if case .begin = node.entry.operation { continue }
                    found.admissions[device, default: []].append(place)
                }
                for device in node.targets {
                    found.state.removed[device, default: []].insert(node.entry.hash)
                }
            case .isContested:
                uncertain.formUnion(admitted(by: place))
                if node.isRemoval {
                    found.contested.append(place)
                    found.state.contested.insert(node.entry.hash)
                    found.state.disputed.insert(node.entry.device)
                }
            case .isVoid, nil: break
            }
        }
        found.state.members.subtract(found.state.removed.keys)
        found.state.disputed.formUnion(uncertain.subtracting(found.state.members))
        found.state.disputed.subtract(found.state.removed.keys)
    }

    /// Two entries of a device that do not know each other, or an unknown operation: the device is stopped, nobody else.
    mutating func findStopped(_ set: Bits, _ found: inout CircleEvaluation) {
        guard !suspects.isEmpty else { return }
        work.steps += suspects.count * (1 + nodes.count / 512)
        for slot in suspects {
            if isForked(slot, in: set) { found.state.stopped.insert(devices[slot]) }
            guard written[slot].contains(anyOf: set, and: unknown, butNotOf: Bits()) else { continue }
            found.state.stopped.formUnion(
                found.state.members.filter { rules.stops($0, unknownOperationOf: devices[slot]) }
            )
        }
        found.state.stopped.formIntersection(found.state.members)
    }

    /// Whether a device has two entries in a set that do not know each other.
    ///
    /// If the last one knows all others, it knows those two as well.
    func isForked(_ slot: Int, in set: Bits) -> Bool {
        guard suspects.contains(slot) else { return false }
        var own = written[slot]
        own.formIntersection(set)
        guard let last = own.last else { return false }
        own.remove(last)
        own.subtract(nodes[last].past)
        return !own.isEmpty || nodes[last].knowsFork
    }
}
