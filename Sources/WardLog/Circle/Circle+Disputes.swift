extension Circle {
    /// Asks the witnesses which of two operations was first.
    mutating func first(_ one: Int, _ other: Int, in set: Bits) -> CircleDispute.Side? {
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
            work.steps += 1 + nodes.count / 512
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
}
