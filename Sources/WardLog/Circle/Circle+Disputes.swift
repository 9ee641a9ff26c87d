extension Circle {
    /// All pairs of a removal and an operation that it reaches.
    mutating func reaches(_ standing: [Int], in set: Bits) -> [CircleReach] {
        var found: [CircleReach] = []
        let asksAlways = !rules.takesAway(isRemoval: false, first: .other)
        for removal in reaching where set.contains(removal) {
            work.reaches += standing.count
            let (reached, replaced) = (reached[removal] ?? Bits(), replaced[removal] ?? Bits())
            for other in standing where other != removal {
                if replaced.contains(other) {
                    found.append(CircleReach(removal: removal, operation: other, first: .one, always: true))
                } else if reached.contains(other) {
                    let always = self.replaced[other]?.contains(removal) ?? false
                    let isAsked = !always && (asksAlways || nodes[other].isRemoval)
                    let first = isAsked ? first(removal, other, in: set) : always ? .other : nil
                    found.append(CircleReach(removal: removal, operation: other, first: first, always: always))
                }
            }
        }
        return found
    }

    /// Finds what a new operation reaches, and what reaches it.
    ///
    /// It depends on the two operations and their pasts, and never changes. The admissions of an operation's author are in its past,
    /// so they come before it, and nothing here calls itself.
    mutating func findReach(of place: Int) {
        for other in reaching { findReach(of: other, on: place) }
        guard nodes[place].isRemoval || !nodes[place].replaces.isEmpty else { return }
        for other in 0..<place where nodes[other].stands { findReach(of: place, on: other) }
        reaching.append(place)
    }

    private mutating func findReach(of removal: Int, on operation: Int) {
        work.reaches += 1
        guard isOpen(operation, to: removal) else { return }
        if isReached(operation, by: removal) { reached[removal, default: Bits()].insert(operation) }
        if isReplaced(operation, by: removal) { replaced[removal, default: Bits()].insert(operation) }
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
        guard nodes[removal].isRemoval else { return false }
        if nodes[removal].targets.contains(devices[nodes[operation].author]) { return true }
        let known = reached[removal] ?? Bits()
        return rules.reaches(admissions: nodes[operation].admissions.map { known.contains($0) })
    }

    /// Whether an operation is a recovery, or rests on one, with a key that new recovery keys have replaced without knowing it.
    private func isReplaced(_ operation: Int, by replacement: Int) -> Bool {
        guard rules.newRecoveryKeysReplaceOldOnes, !nodes[replacement].replaces.isEmpty else { return false }
        let node = nodes[operation]
        if case .recover(let key) = node.entry.operation { return nodes[replacement].replaces.contains(key) }
        let known = replaced[replacement] ?? Bits()
        return !node.admissions.isEmpty && node.admissions.allSatisfy { known.contains($0) }
    }

    /// Asks the witnesses which of two operations was first.
    private mutating func first(_ one: Int, _ other: Int, in set: Bits) -> CircleDispute.Side? {
        var dispute = CircleDispute(
            witnessesOfOne: [],
            witnessesOfOther: [],
            recoverySignedOne: nodes[one].isSignedByRecovery,
            recoverySignedOther: nodes[other].isSignedByRecovery
        )
        let (ofOne, ofOther) = (knowing[one] ?? Bits(), knowing[other] ?? Bits())
        for witness in hearing(one, other).witnesses {
            guard let slot = slots[witness.device] else { continue }
            work.statements += 1
            if witness.speaksForOne, written[slot].contains(anyOf: set, and: ofOne, butNotOf: ofOther) {
                dispute.witnessesOfOne.insert(witness.device)
            }
            if witness.speaksForOther, written[slot].contains(anyOf: set, and: ofOther, butNotOf: ofOne) {
                dispute.witnessesOfOther.insert(witness.device)
            }
        }
        return rules.first(dispute)
    }

    /// The witnesses: the devices that were admitted in the common past, and that are members for one of the two.
    ///
    /// The common past alone may have a removal that nobody believes, and would leave out a witness. The authors speak for
    /// neither side, and nobody speaks for an operation that rests on an admission of its own.
    ///
    /// This is the only place where a decision about a set asks for one about another set. Each pair in the common past is also a
    /// pair in the past of the removal, for which it was asked when the removal came. So the answer is there, and evaluations are
    /// never more than two deep.
    private mutating func hearing(_ one: Int, _ other: Int) -> CircleHearing {
        let pair = CirclePair(one: one, other: other)
        if let known = hearings[pair] { return known }
        var common = nodes[one].past
        common.formIntersection(nodes[other].past)
        let authors = [one, other].map { nodes[$0].entry.device }
        let parties = (
            parties(of: one, outside: common).union(authors), parties(of: other, outside: common).union(authors)
        )
        let sides = nodes[one].members.union(nodes[other].members)
        let before = admitted(in: common)
        let witnesses = before.all.compactMap { device -> CircleHearing.Witness? in
            let isHeard = rules.isHeard(
                isMemberOfCommonPast: before.members.contains(device),
                isMemberForOneSide: sides.contains(device)
            )
            let witness = CircleHearing.Witness(
                device: device,
                speaksForOne: rules.isWitness(isParty: parties.0.contains(device)),
                speaksForOther: rules.isWitness(isParty: parties.1.contains(device))
            )
            return isHeard && (witness.speaksForOne || witness.speaksForOther) ? witness : nil
        }
        let hearing = CircleHearing(witnesses: witnesses)
        hearings[pair] = hearing
        return hearing
    }

    private func parties(of operation: Int, outside common: Bits) -> Set<DeviceID> {
        var basis = nodes[operation].basis
        basis.subtract(common)
        return Set(basis.members.map { nodes[$0].entry.device })
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
    mutating func labels(_ standing: [Int], _ reaches: [CircleReach], contested: Set<Int>) -> [CircleLabel?] {
        var takenAwayBy = [[Int]](repeating: [], count: nodes.count)
        for reach in reaches {
            let isRemoval = nodes[reach.operation].isRemoval
            guard reach.always ? reach.first == .one : rules.takesAway(isRemoval: isRemoval, first: reach.first) else {
                continue
            }
            takenAwayBy[reach.operation].append(reach.removal)
        }
        for answer in standing { for closed in nodes[answer].closes { takenAwayBy[closed].append(answer) } }
        var takesAway = [[Int]](repeating: [], count: nodes.count)
        for place in standing { for removal in takenAwayBy[place] { takesAway[removal].append(place) } }
        // For each operation, how many of those that could take it away are not void.
        var open = takenAwayBy.map(\.count)
        var labels = [CircleLabel?](repeating: nil, count: nodes.count)
        var ready = standing.filter { open[$0] == 0 && !contested.contains($0) }
        for place in ready { labels[place] = .counts }
        while let place = ready.popLast() {
            for other in takesAway[place] where !contested.contains(other) {
                work.decisions += 1
                if labels[place] == .counts {
                    guard labels[other] == nil else { continue }
                    labels[other] = .isVoid
                } else {
                    open[other] -= 1
                    guard open[other] == 0, labels[other] == nil else { continue }
                    labels[other] = .counts
                }
                ready.append(other)
            }
        }
        for place in standing where labels[place] == nil { labels[place] = .isContested }
        return labels
    }
}
