import Testing
import WardLog

private let (a, b, c, n) = (0, 1, 2, 3)
private func devices(_ numbers: Int...) -> UInt32 { numbers.reduce(0) { $0 | 1 << UInt32($1) } }

/// Without the signature of a recovery key on a removal.
private struct WithoutSignatures: CircleRules {
    func first(_ dispute: CircleDispute) -> CircleDispute.Side? {
        var dispute = dispute
        (dispute.recoverySignedOne, dispute.recoverySignedOther) = (false, false)
        return StandardCircleRules().first(dispute)
    }
}

/// What a removed device wrote beyond its removal counts, unless it is a removal.
private struct WithoutTakingAway: CircleRules {
    var keysOutliveTheirAuthor: Bool { true }

    func takesAway(isRemoval: Bool, first: CircleDispute.Side?) -> Bool { isRemoval && first != .other }
}

private struct WithoutOwner: CircleRules {
    func isOwner(_ keys: Set<CircleKey>, _ owners: Set<CircleKey>) -> Bool { true }
}

private struct WithoutRaising: CircleRules {
    func raises(_ version: UInt64, _ earliest: UInt64) -> Bool { true }
}

private struct WithoutNewKeys: CircleRules {
    func isNew(isMember: Bool, wasRemoved: Bool, isDisputed: Bool) -> Bool { true }
}

private struct WithoutContents: CircleRules {
    func approves(_ approval: CircleApproval, _ entry: CircleEntry) -> Bool { true }
}

/// Signatures of recovery keys on removals (field 14), operation 12, and devices that come back, each with and without the rule.
@Suite struct `The owner of a circle` {
    // MARK: - Field 14

    private func pair<Rules: CircleRules>(
        _: Rules.Type,
        _ one: CircleHistory<Rules>.Kind,
        _ change: (inout CircleEntry) -> Void = { _ in }
    ) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 2)
        history.write(b, .remove(devices(a)))
        let step = CircleHistory<Rules>.Step(author: a, view: 1, kind: one)
        var entry = history.draft(step)
        change(&entry)
        history.add(step, entry)
        return history
    }

    @Test func `decides with a recovery key which of two removals stays`() {
        #expect(pair(StandardCircleRules.self, .removeWithRecoveryKey(devices(b))).members == [a])
        #expect(pair(StandardCircleRules.self, .remove(devices(b))).state.isFrozen)
        #expect(pair(WithoutSignatures.self, .removeWithRecoveryKey(devices(b))).state.isFrozen)
    }

    @Test func `signs with a recovery key for one entry only`() {
        func move(_ entry: inout CircleEntry) {
            entry.approvals = entry.approvals.map { approval in
                approval.key == CircleHistory<StandardCircleRules>.recoveryKey(1)
                    ? CircleApproval(approval.key, content: [1]) : approval
            }
        }
        #expect(pair(StandardCircleRules.self, .removeWithRecoveryKey(devices(b)), move).state.isFrozen)
        #expect(pair(WithoutContents.self, .removeWithRecoveryKey(devices(b)), move).members == [a])
    }

    @Test func `decides nothing with signatures on both sides, or of a key that was replaced`() {
        var both = CircleHistory<StandardCircleRules>(devices: 2)
        both.write(a, .removeWithRecoveryKey(devices(b)))
        both.write(b, .removeWithRecoveryKey(devices(a)))
        #expect(both.state.isFrozen && both.members == [a, b])
        var old = CircleHistory<StandardCircleRules>(devices: 2)
        let keys = old.write(a, .recovery)
        old.write(a, .removeWithRecoveryKey(devices(b)), knowing: [keys])
        old.write(b, .remove(devices(a)), knowing: [keys])
        #expect(old.state.isFrozen)
    }

    @Test func `hears witnesses before a recovery key`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let removal = history.write(a, .remove(devices(b)))
        history.write(c, .other, knowing: [removal])
        history.write(b, .removeWithRecoveryKey(devices(a)))
        #expect(history.members == [a, c])
    }

    // MARK: - Operation 12

    private func rule<Rules: CircleRules>(_: Rules.Type, _ change: (inout CircleEntry) -> Void) -> Bool {
        var history = CircleHistory<Rules>(devices: 2)
        history.write(a, .rules)
        var entry = history.draft(.init(author: a, view: 3, kind: .rules))
        change(&entry)
        return history.mayWrite(entry)
    }

    @Test func `raises the earliest version of readers, and nobody else does`() {
        #expect(rule(StandardCircleRules.self) { _ in })
        #expect(!rule(StandardCircleRules.self) { $0.approvals = [] })
        #expect(rule(WithoutOwner.self) { $0.approvals = [] })
        for version: UInt64 in [0, 1] {
            #expect(!rule(StandardCircleRules.self) { $0.operation = .rules(minimumReader: version) })
            #expect(rule(WithoutRaising.self) { $0.operation = .rules(minimumReader: version) })
        }
        #expect(rule(StandardCircleRules.self) { $0.operation = .rules(minimumReader: .max) })
    }

    private func lateRule<Rules: CircleRules>(_: Rules.Type) -> UInt64 {
        var history = CircleHistory<Rules>(devices: 3)
        let known = history.write(b, .rules)
        history.write(a, .remove(devices(b)), knowing: [known])
        history.write(b, .rules, knowing: [known])
        return history.state.minimumReader
    }

    @Test func `keeps the rules that a removal knew, and no others`() {
        #expect(lateRule(StandardCircleRules.self) == 1)
        #expect(lateRule(WithoutTakingAway.self) == 2)
    }

    // MARK: - Devices that come back

    private func comesBack<Rules: CircleRules>(_: Rules.Type, _ author: Int, _ kind: CircleHistory<Rules>.Kind)
        -> [Bool]
    {
        var history = CircleHistory<Rules>(devices: 3)
        history.write(a, .remove(devices(b)))
        let step = CircleHistory<Rules>.Step(author: author, view: 3, kind: kind)
        let entry = history.draft(step)
        history.add(step, entry)
        return [history.circle.stands(entry.hash), history.members.contains(b)]
    }

    @Test func `takes a device back with a new key only, also with a recovery key`() {
        #expect(comesBack(StandardCircleRules.self, a, .admit(b)) == [false, false])
        #expect(comesBack(StandardCircleRules.self, b, .recover(1)) == [false, false])
        #expect(comesBack(StandardCircleRules.self, n, .recover(1)) == [true, false])
        // Without the rule the operation stands, and still a removed device is no member.
        #expect(comesBack(WithoutNewKeys.self, a, .admit(b)) == [true, false])
        #expect(comesBack(WithoutNewKeys.self, b, .recover(1)) == [true, false])
    }

    // MARK: - The same in every small history

    private func faults<Rules: CircleRules>(_: Rules.Type, _ kinds: Set<String>) -> [String: Int] {
        var scope = CircleExplorer<Rules>.Scope(depth: 2)
        (scope.devices, scope.removesSeveral, scope.kinds) = (2, false, kinds)
        var explorer = CircleExplorer<Rules>(scope)
        explorer.run()
        return explorer.counts.faults
    }

    @Test func `is found out by the exploration without one of the rules`() {
        #expect(faults(StandardCircleRules.self, ["remove", "sign", "rules"]) == [:])
        #expect(
            faults(WithoutSignatures.self, ["remove", "sign"])["a signature of a recovery key does not decide"] != nil
        )
        #expect(faults(WithoutTakingAway.self, ["remove", "rules"])["a rule of a removed device"] != nil)
    }

    private func randomFaults<Rules: CircleRules>(_: Rules.Type) -> Set<String> {
        var counts = CircleExplorer<Rules>.Counts()
        for seed in 1...UInt64(300) {
            var random = RandomCircle<Rules>(seed: seed)
            for _ in 0..<random.length() { _ = random.grow() }
            CircleInvariants.check(random.history, &counts)
        }
        return Set(counts.faults.keys)
    }

    @Test func `is found out by random histories without one of the rules`() {
        #expect(randomFaults(WithoutTakingAway.self).contains("a rule of a removed device"))
        #expect(randomFaults(WithoutTakingAway.self).contains("a removed device admits"))
    }
}
