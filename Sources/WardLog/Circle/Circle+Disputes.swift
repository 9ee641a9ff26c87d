extension Circle {
    /// All pairs of a removal and an operation that it reaches.
    mutating func reaches(_ standing: [Int], in set: Bits) -> [CircleReach] {
        var found: [CircleReach] = []
        for removal in standing {
            guard nodes[removal].isRemoval || !nodes[removal].replaces.isEmpty else { continue }
            for other in standing where other != removal {
                if isReplaced(other, by: removal) {
                    found.append(CircleReach(removal: removal, operation: other, first: .one, always: true))
                } else if nodes[removal].isRemoval, isReached(other, by: removal) {
                    let always = isReplaced(removal, by: other)
                    let first = always ? .other : first(removal, other, in: set)
                    found.append(CircleReach(removal: removal, operation: other, first: first, always: always))
                }
            }
        }
        return found
    }

    /// Whether a removal may reach an operation: it does not know the operation, and the operation does not answer it.
    ///
    /// The operation may know the removal. It stands then because the removal was void by what it knows, and the removal may count
    /// by what is known now.
    private func isOpen(_ operation: Int, to removal: Int) -> Bool {
        nodes[removal].author != nodes[operation].author && !nodes[removal].past.contains(operation)
            && !nodes[operation].closes.contains(removal)
    }

    /// Whether a removal takes away what an operation rests on: its author, or each admission of its author.
    private func isReached(_ operation: Int, by removal: Int) -> Bool {
        guard isOpen(operation, to: removal) else { return false }
        if nodes[removal].targets.contains(devices[nodes[operation].author]) { return true }
        return rules.reaches(admissions: nodes[operation].admissions.map { isReached($0, by: removal) })
    }

    /// Whether an operation is a recovery, or rests on one, with a key that new recovery keys have replaced without knowing it.
    private func isReplaced(_ operation: Int, by replacement: Int) -> Bool {
        guard rules.newRecoveryKeysReplaceOldOnes, !nodes[replacement].replaces.isEmpty,
            isOpen(operation, to: replacement)
        else { return false }
        let node = nodes[operation]
        if case .recover(let key) = node.entry.operation { return nodes[replacement].replaces.contains(key) }
        return !node.admissions.isEmpty && node.admissions.allSatisfy { isReplaced($0, by: replacement) }
    }

    /// Asks the witnesses: the devices that were admitted in the common past, and that are members for one of the two.
    ///
    /// The common past alone may have a removal that nobody believes, and would leave out a witness. The authors speak for
    /// neither side, and nobody speaks for an operation that rests on an admission of its own.
    private mutating func first(_ one: Int, _ other: Int, in set: Bits) -> CircleDispute.Side? {
        var common = nodes[one].past
        common.formIntersection(nodes[other].past)
        let authors = [one, other].map { nodes[$0].entry.device }
        let parties = (
            parties(of: one, outside: common).union(authors), parties(of: other, outside: common).union(authors)
        )
        var dispute = CircleDispute(
            witnessesOfOne: [],
            witnessesOfOther: [],
            recoverySignedOne: nodes[one].isSignedByRecovery,
            recoverySignedOther: nodes[other].isSignedByRecovery
        )
        let sides = nodes[one].members.union(nodes[other].members)
        let before = admitted(in: common)
        for device in before.all {
            let isHeard = rules.isHeard(
                isMemberOfCommonPast: before.members.contains(device),
                isMemberForOneSide: sides.contains(device)
            )
            guard isHeard, let slot = slots[device] else { continue }
            let speaks = (
                rules.isWitness(isParty: parties.0.contains(device)),
                rules.isWitness(isParty: parties.1.contains(device))
            )
            for place in chains[slot] where set.contains(place) {
                let knows = (
                    place == one || nodes[place].past.contains(one), place == other || nodes[place].past.contains(other)
                )
                if knows == (true, false), speaks.0 { dispute.witnessesOfOne.insert(device) }
                if knows == (false, true), speaks.1 { dispute.witnessesOfOther.insert(device) }
            }
        }
        return rules.first(dispute)
    }

    private func parties(of operation: Int, outside common: Bits) -> Set<DeviceID> {
        var found: Set<DeviceID> = [nodes[operation].entry.device]
        for admission in nodes[operation].admissions where !common.contains(admission) {
            found.formUnion(parties(of: admission, outside: common))
        }
        return found
    }

    private mutating func admitted(in set: Bits) -> (all: Set<DeviceID>, members: Set<DeviceID>) {
        if let known = admittedInPast[set] { return known }
        let state = evaluate(set).state
        let admitted = (all: state.members.union(state.removed.keys), members: state.members)
        admittedInPast[set] = admitted
        return admitted
    }

    /// Decides all operations at once, as cautiously as possible.
    ///
    /// An operation counts if everything that could take it away is void. It is void if something that counts takes it away.
    /// What is left over is contested.
    ///
    /// This is the grounded labelling of Dung's argumentation frameworks. It is the least fixpoint of a monotone function, so
    /// there is exactly one.
    func labels(_ standing: [Int], _ reaches: [CircleReach], contested: Set<Int>) -> [CircleLabel?] {
        var takenAwayBy = [[Int]](repeating: [], count: nodes.count)
        for reach in reaches {
            let isRemoval = nodes[reach.operation].isRemoval
            guard reach.always ? reach.first == .one : rules.takesAway(isRemoval: isRemoval, first: reach.first) else {
                continue
            }
            takenAwayBy[reach.operation].append(reach.removal)
        }
        for answer in standing { for closed in nodes[answer].closes { takenAwayBy[closed].append(answer) } }
        var labels = [CircleLabel?](repeating: nil, count: nodes.count)
        var changed = true
        while changed {
            changed = false
            for place in standing where labels[place] == nil && !contested.contains(place) {
                let others = takenAwayBy[place]
                if others.contains(where: { labels[$0] == .counts }) {
                    labels[place] = .isVoid
                } else if others.allSatisfy({ labels[$0] == .isVoid }) {
                    labels[place] = .counts
                } else {
                    continue
                }
                changed = true
            }
        }
        for place in standing where labels[place] == nil { labels[place] = .isContested }
        return labels
    }
}
