import Testing
import WardLog

private let (a, b, c, d, n, m) = (0, 1, 2, 3, 3, 4)
private func devices(_ numbers: Int...) -> UInt32 { numbers.reduce(0) { $0 | 1 << UInt32($1) } }

/// Each rule of a circle in the smallest history that needs it, and the same history without the rule.
@Suite struct `A circle` {
    // MARK: - Removed devices

    private func latecomer<Rules: CircleRules>(_: Rules.Type) -> [Bool] {
        var history = CircleHistory<Rules>(devices: 3)
        let known = history.write(b, .other, knowing: [history.write(c, .other, knowing: [history.write(a, .header)])])
        history.write(a, .remove(devices(b)), knowing: [known])
        let late = history.write(b, .other, knowing: [history.write(c, .header, knowing: [known])])
        return [history.counts(known), history.counts(late)]
    }

    /// A removal has no number of its own, so nobody is cut back to the beginning.
    @Test func `counts the entries of a removed device that the removal knew, and no others`() {
        struct Without: CircleRules { func counts(knownTo removals: [Bool]) -> Bool { true } }
        #expect(latecomer(StandardCircleRules.self) == [true, false])
        #expect(latecomer(Without.self) == [true, true])
    }

    private func revenge<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let removal = history.write(a, .remove(devices(b)))
        history.write(c, .other, knowing: [removal])
        history.write(b, .remove(devices(a, c)))
        return history
    }

    /// Years later it lists all others, and knows nothing that came after it was a member.
    @Test func `is not emptied by a removed device with the owner key of its time`() {
        struct Without: CircleRules { func first(_ dispute: CircleDispute) -> CircleDispute.Side? { nil } }
        let history = revenge(StandardCircleRules.self)
        #expect(history.members == [a, c] && !history.state.isFrozen)
        #expect(revenge(Without.self).state.isFrozen)
    }

    private func split<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 4)
        let one = history.write(a, .remove(devices(b)))
        let other = history.write(b, .remove(devices(a)))
        history.write(c, .other, knowing: [one])
        history.write(d, .other, knowing: [other])
        return history
    }

    /// A server decides who sees what first.
    @Test func `decides nothing when witnesses are on both sides`() {
        struct Without: CircleRules {
            func first(_ dispute: CircleDispute) -> CircleDispute.Side? {
                guard let one = dispute.witnessesOfOne.min(), let other = dispute.witnessesOfOther.min() else {
                    return nil
                }
                return one < other ? .one : .other
            }
        }
        let history = split(StandardCircleRules.self)
        #expect(history.isContested(1) && history.isContested(2) && history.members == [a, b, c, d])
        #expect(split(Without.self).members == [a, c, d])
    }

    /// A thief has the device that saw the first removal, and signs for it a second time, as if it had seen the other one.
    @Test func `asks again if its only witness signs a second chain that saw the other side first`() {
        var history = CircleHistory<StandardCircleRules>(devices: 4)
        let one = history.write(a, .remove(devices(b)))
        let other = history.write(b, .remove(devices(a)))
        history.write(c, .other, knowing: [one])
        #expect(history.members == [a, c, d] && !history.state.isFrozen)
        let step = CircleHistory<StandardCircleRules>.Step(author: c, view: 1 | 1 << UInt32(other), kind: .other)
        let entry = history.draft(step)
        history.add(step, entry)
        #expect(history.isContested(one) && history.isContested(other) && history.members == [a, b, c, d])
    }

    private func newcomers<Rules: CircleRules>(_: Rules.Type, statement: Int?) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let one = history.write(a, .admit(n))
        let other = history.write(b, .admit(m))
        let first = history.write(n, .remove(devices(b)), knowing: [one])
        history.write(m, .remove(devices(a)), knowing: [other])
        if let statement { history.write(statement, .other, knowing: [first]) }
        return history
    }

    /// Each of the two removals takes away the admission on which the other one rests.
    @Test func `asks when newcomers remove each other's sponsors`() {
        struct Without: CircleRules { func rests(on admissions: [Bool]) -> Bool { true } }
        let history = newcomers(StandardCircleRules.self, statement: nil)
        #expect(history.state.contested.count == 2 && history.members == [a, b, c])
        #expect(history.state.disputed.count == 2)
        // The third device knew one of them before the other.
        let decided = newcomers(StandardCircleRules.self, statement: c)
        #expect(!decided.state.isFrozen && decided.members == [a, c, n])
        // Without the rule both removals count, and both sponsors are out.
        #expect(newcomers(Without.self, statement: nil).members == [c])
    }

    /// Otherwise somebody who admits two devices has two voices.
    @Test func `has no witness that speaks for its own newcomer`() {
        struct Without: CircleRules { func isWitness(isParty: Bool) -> Bool { true } }
        #expect(newcomers(StandardCircleRules.self, statement: a).state.isFrozen)
        #expect(newcomers(Without.self, statement: a).state.isFrozen == false)
    }

    private func silenced<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let one = history.write(a, .remove(devices(c)))
        let other = history.write(c, .remove(devices(a)))
        let answer = history.write(b, .remove(devices(c)), knowing: [one, other])
        history.write(a, .other, knowing: [answer])
        history.write(c, .remove(devices(b)), knowing: [other])
        return history
    }

    /// The common past of the last removal and the answer says that the first device is out.
    @Test func `hears a witness that the removed device had removed before`() {
        struct Without: CircleRules {
            func isHeard(isMemberOfCommonPast: Bool, isMemberForOneSide: Bool) -> Bool { isMemberOfCommonPast }
        }
        let history = silenced(StandardCircleRules.self)
        #expect(history.members == [a, b] && !history.state.isFrozen)
        #expect(silenced(Without.self).state.isFrozen)
    }

    private func lateAdmission<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let admission = history.write(a, .admit(n))
        history.write(c, .remove(devices(a)))
        history.write(b, .other, knowing: [admission])
        return history
    }

    /// Admissions lose, and only a removal can survive the removal of its author.
    @Test func `loses what a removed device admitted beside its removal`() {
        struct Without: CircleRules {
            func takesAway(isRemoval: Bool, first: CircleDispute.Side?) -> Bool { first != .other }
        }
        #expect(lateAdmission(StandardCircleRules.self).members == [b, c])
        #expect(lateAdmission(Without.self).members == [b, c, n])
    }

    private func twoRemovals<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let removal = history.write(a, .remove(devices(b)))
        history.write(c, .remove(devices(a)))
        history.write(b, .other, knowing: [removal])
        return history
    }

    /// It had removed somebody, and its keys must not come in force with that.
    @Test func `keeps the removal of a removed device that a witness knew before, without its keys`() {
        struct Without: CircleRules { var keysOutliveTheirAuthor: Bool { true } }
        let history = twoRemovals(StandardCircleRules.self)
        #expect(history.members == [c])
        #expect(history.state.owners.count == 1 && history.state.key?.entry == history.entries[2].hash)
        #expect(twoRemovals(Without.self).state.owners.count == 2)
        // Without a witness the removal does not count, and the person hears of it.
        var silent = CircleHistory<StandardCircleRules>(devices: 3)
        let removal = silent.write(a, .remove(devices(b)))
        silent.write(c, .remove(devices(a)))
        #expect(silent.members == [b, c] && silent.state.dropped == [silent.entries[removal].hash])
    }

    // MARK: - Questions and answers

    private func pair<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 2)
        history.write(a, .remove(devices(b)))
        history.write(b, .remove(devices(a)))
        return history
    }

    @Test func `of two that remove each other is frozen, and neither changes anything`() {
        struct Without: CircleRules {
            func mayChange(_ standing: CircleStanding, answers: Bool) -> Bool { standing.isMember }
        }
        var history = pair(StandardCircleRules.self)
        #expect(history.isContested(1) && history.isContested(2) && history.members == [a, b])
        for kind in [.admit(n), .rekey, .remove(devices(b)), .header, .recovery]
            as [CircleHistory<StandardCircleRules>.Kind]
        {
            let step = CircleHistory<StandardCircleRules>.Step(author: a, view: 7, kind: kind)
            let entry = history.draft(step)
            #expect(!history.mayWrite(entry))
        }
        var without = pair(Without.self)
        let step = CircleHistory<Without>.Step(author: a, view: 7, kind: .admit(n))
        let entry = without.draft(step)
        #expect(without.mayWrite(entry))
    }

    @Test func `of two is decided by a recovery key`() {
        // One of the removals has its signature.
        var signed = CircleHistory<StandardCircleRules>(devices: 2)
        signed.write(b, .remove(devices(a)))
        signed.write(a, .remove(devices(b)), recovery: 1)
        #expect(signed.members == [a] && !signed.state.isFrozen)
        // A key that was never in force does not count.
        var forged = CircleHistory<StandardCircleRules>(devices: 2)
        forged.write(b, .remove(devices(a)))
        forged.write(a, .remove(devices(b)), recovery: 9)
        #expect(forged.state.isFrozen)
        // A new device begins with it, and answers.
        var begun = pair(StandardCircleRules.self)
        let step = CircleHistory<StandardCircleRules>.Step(author: n, view: 7, kind: .recover(1))
        let entry = begun.draft(step)
        begun.add(step, entry)
        #expect(begun.state.isFrozen && begun.members == [a, b, n])
        begun.write(n, .remove(devices(b)))
        #expect(begun.members == [a, n] && !begun.state.isFrozen && begun.state.isClean)
    }

    private func answered<Rules: CircleRules>(_: Rules.Type, _ kind: CircleHistory<Rules>.Kind) -> CircleHistory<Rules>
    {
        var history = CircleHistory<Rules>(devices: 3)
        let one = history.write(a, .remove(devices(b)))
        let other = history.write(b, .remove(devices(a)))
        history.write(c, kind, knowing: [one, other])
        return history
    }

    @Test func `is answered by a device that the question is not about`() {
        struct Without: CircleRules { var answersCloseDisputes: Bool { false } }
        let removal = answered(StandardCircleRules.self, .remove(devices(b)))
        #expect(removal.members == [a, c] && !removal.state.isFrozen && removal.state.isClean)
        let both = answered(StandardCircleRules.self, .rekey)
        #expect(both.members == [a, b, c] && !both.state.isFrozen && both.state.owners.count == 1)
        #expect(answered(Without.self, .rekey).state.isFrozen)
        // A statement that knows both decides nothing, and nobody is admitted meanwhile.
        #expect(answered(StandardCircleRules.self, .other).state.isFrozen)
        #expect(answered(StandardCircleRules.self, .admit(n)).members == [a, b, c])
    }

    private func leaving<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 2)
        history.write(a, .remove(devices(a)))
        history.write(b, .remove(devices(b)))
        return history
    }

    @Test func `is never empty`() {
        struct Without: CircleRules { var mayBeEmpty: Bool { true } }
        #expect(leaving(StandardCircleRules.self).members == [a, b])
        #expect(leaving(StandardCircleRules.self).state.isFrozen)
        #expect(leaving(Without.self).members == [])
        var alone = CircleHistory<StandardCircleRules>(devices: 1)
        alone.write(a, .remove(devices(a)))
        #expect(alone.members == [a])
    }

    // MARK: - The beginning

    private func rivalBeginning<Rules: CircleRules>(_: Rules.Type) -> Set<DeviceID> {
        var history = CircleHistory<Rules>(devices: 2)
        let (thief, key) = (CircleHistory<Rules>.device(9), CircleKey([9]))
        let begin = CircleOperation.begin(
            members: [thief],
            recovery: [key],
            CircleKeys(epoch: 1, owner: key, header: 1)
        )
        var entry = history.entries[0]
        entry.hash = [9]
        entry.content = [9]
        entry.device = thief
        entry.operation = begin
        entry.approvals = [CircleApproval(key, content: [9])]
        history.add(.init(author: 9, view: 0, kind: .other), entry)
        return history.state.members
    }

    /// Somebody who ever opened the vault writes a beginning of their own.
    @Test func `begins once, with the entry that its devices know`() {
        struct Without: CircleRules { func begins(_ entry: CircleEntry, _ circle: [UInt8]) -> Bool { true } }
        #expect(rivalBeginning(StandardCircleRules.self).map(CircleHistory<Without>.number).sorted() == [a, b])
        #expect(rivalBeginning(Without.self).map(CircleHistory<Without>.number).contains(9))
    }

    // MARK: - Signatures and keys

    /// Whether the first device may remove the second one with an entry that was changed.
    private func mayRemove<Rules: CircleRules>(
        _: Rules.Type,
        afterRemovalOf other: Int? = nil,
        _ change: (inout CircleEntry) -> Void
    ) -> Bool {
        var history = CircleHistory<Rules>(devices: 4)
        let known = other.map { [history.write(c, .remove(devices($0)))] } ?? []
        let view = known.reduce(UInt32(1)) { $0 | 1 << UInt32($1) }
        var entry = history.draft(.init(author: a, view: view, kind: .remove(devices(b))))
        change(&entry)
        return history.mayWrite(entry)
    }

    /// A stolen device moves the owner's signature to an entry with another past.
    @Test func `takes no signature of another entry`() {
        struct Without: CircleRules { func approves(_ approval: CircleApproval, _ entry: CircleEntry) -> Bool { true } }
        func move(_ entry: inout CircleEntry) { entry.content = [1, 2, 3] }
        #expect(mayRemove(StandardCircleRules.self) { _ in })
        #expect(!mayRemove(StandardCircleRules.self, move))
        #expect(mayRemove(Without.self, move))
    }

    /// A thief who cracks the passphrase later has an owner key that ended with the removal.
    @Test func `changes only with the owner's signature, and an owner key ends with the next removal`() {
        struct Without: CircleRules { func isOwner(_ keys: Set<CircleKey>, _ owners: Set<CircleKey>) -> Bool { true } }
        let first = CircleKey([0, 0, 9])
        func unsigned(_ entry: inout CircleEntry) { entry.approvals.removeAll { $0.key == first } }
        func old(_ entry: inout CircleEntry) {
            guard let new = entry.operation.keys?.owner else { return }
            entry.approvals = [first, new].map { CircleApproval($0, content: entry.content) }
        }
        #expect(!mayRemove(StandardCircleRules.self, unsigned))
        #expect(mayRemove(Without.self, unsigned))
        #expect(mayRemove(StandardCircleRules.self, old))
        #expect(!mayRemove(StandardCircleRules.self, afterRemovalOf: d, old))
        #expect(mayRemove(Without.self, afterRemovalOf: d, old))
    }

    /// The owner key of an old disk or an old sheet signs nothing any more.
    @Test func `gets a new owner key with each removal`() {
        struct Without: CircleRules {
            func isNewOwner(_ key: CircleKey, _ owners: Set<CircleKey>, signers: Set<CircleKey>) -> Bool { true }
        }
        func keep(_ entry: inout CircleEntry) {
            let keys = CircleKeys(epoch: 2, owner: CircleKey([0, 0, 9]), header: 2)
            entry.operation = .remove([CircleHistory<Without>.device(b)], keys)
        }
        func foreign(_ entry: inout CircleEntry) {
            let keys = CircleKeys(epoch: 2, owner: CircleKey([7]), header: 2)
            entry.operation = .remove([CircleHistory<Without>.device(b)], keys)
        }
        for change in [keep, foreign] {
            #expect(!mayRemove(StandardCircleRules.self, change))
            #expect(mayRemove(Without.self, change))
        }
    }

    /// A number that skips others, or the largest one, would win over every later key and header.
    @Test(arguments: [(0, 2), (1, 2), (3, 2), (.max, 2), (2, 0), (2, 1), (2, 3), (2, .max)] as [(UInt64, UInt64)])
    func `numbers keys and headers without a gap`(epoch: UInt64, header: UInt64) {
        struct Without: CircleRules { func follows(_ number: UInt64, _ largest: UInt64) -> Bool { true } }
        func change(_ entry: inout CircleEntry) {
            guard let owner = entry.operation.keys?.owner else { return }
            let keys = CircleKeys(epoch: epoch, owner: owner, header: header)
            entry.operation = .remove([CircleHistory<Without>.device(b)], keys)
        }
        #expect(!mayRemove(StandardCircleRules.self, change))
        #expect(mayRemove(Without.self, change))
        #expect(!StandardCircleRules().follows(0, .max))
    }

    private func twoKeys<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 4)
        history.write(a, .remove(devices(c)))
        history.write(b, .remove(devices(d)))
        return history
    }

    /// Each of two keys was given to a device that the other side removed.
    @Test func `seals nothing with a key that a removed device has, until both owner keys sign the next one`() {
        struct Without: CircleRules { func isClean(outsiders: Set<DeviceID>) -> Bool { true } }
        var history = twoKeys(StandardCircleRules.self)
        #expect(history.members == [a, b] && !history.state.isClean && history.state.owners.count == 2)
        #expect(history.state.key?.epoch == 2 && !history.state.isFrozen)
        var half = history.draft(.init(author: a, view: 7, kind: .rekey))
        half.approvals.removeAll { $0.key == CircleKey(history.entries[2].hash) }
        #expect(!history.mayWrite(half))
        history.write(a, .rekey, knowing: [1, 2])
        #expect(history.state.isClean && history.state.owners.count == 1 && history.state.key?.epoch == 3)
        #expect(twoKeys(Without.self).state.isClean)
    }

    /// The first key was sealed to the first device alone, and the others got it when they were admitted.
    @Test func `seals nothing with an earlier key that a removed device was given when it was admitted`() {
        var history = CircleHistory<StandardCircleRules>(devices: 2)
        let first = history.write(a, .admit(c))
        let second = history.write(a, .admit(d))
        history.write(a, .remove(devices(c)), knowing: [first, second])
        history.write(b, .remove(devices(d)), knowing: [first, second])
        #expect(history.members == [a, b] && !history.state.isClean && history.state.key?.epoch == 2)
        history.write(a, .rekey, knowing: [3, 4])
        #expect(history.state.isClean && history.state.key?.epoch == 3)
    }

    /// A device that a removed one admitted beside its removal is out, and nobody removed it.
    @Test func `seals nothing with a key that a device has whose admission does not count`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let admission = history.write(c, .admit(n))
        history.write(b, .remove(devices(c)), knowing: [admission])
        #expect(history.members == [a, b, n] && history.state.isClean)
        let removal = history.write(a, .remove(devices(c)))
        // Both removals count, and this one did not know the admission. Its key was given to no other device.
        #expect(history.members == [a, b] && history.state.isClean)
        #expect(history.state.key?.entry == history.entries[removal].hash)
    }

    @Test func `says who lacks the key`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        history.write(a, .admit(n))
        history.write(b, .remove(devices(c)))
        #expect(history.members == [a, b, n] && history.state.isClean)
        #expect(history.state.lacking == [CircleHistory<StandardCircleRules>.device(n)])
        // Who is admitted after the key was made gets it from its sponsor.
        history.write(b, .admit(m))
        #expect(history.state.lacking == [CircleHistory<StandardCircleRules>.device(n)])
    }

    private func twoHeaders<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        history.write(a, .header)
        history.write(a, .header)
        history.write(b, .remove(devices(c)))
        return history
    }

    /// A change of the passphrase and a removal meet, and neither may undo the other unseen.
    @Test func `prefers the header that knows the key, and says which change of the passphrase is not in force`() {
        struct Without: CircleRules {
            func isPreferred(_ header: CircleHeader, to other: CircleHeader) -> Bool {
                header.generation > other.generation
            }
        }
        let history = twoHeaders(StandardCircleRules.self)
        #expect(history.state.header?.entry == history.entries[3].hash && history.state.header?.generation == 2)
        #expect(history.state.pendingHeaders == [history.entries[1].hash, history.entries[2].hash])
        #expect(twoHeaders(Without.self).state.header?.generation == 3)
        var redone = history
        redone.write(a, .header, knowing: [2, 3])
        #expect(redone.state.pendingHeaders.isEmpty && redone.state.header?.generation == 4)
    }

    /// Each new key comes with a header that has the passphrase from before.
    @Test func `says nothing of the passphrase if two devices made keys at the same time`() {
        var history = CircleHistory<StandardCircleRules>(devices: 4)
        history.write(a, .rekey)
        history.write(b, .remove(devices(c)))
        history.write(d, .recovery)
        #expect(history.state.pendingHeaders.isEmpty && history.state.owners.count == 3)
    }

    private func oldSheet<Rules: CircleRules>(_: Rules.Type, knowing: Bool) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 1)
        let step = CircleHistory<Rules>.Step(author: n, view: 1, kind: .recover(1))
        if knowing {
            let entry = history.draft(step)
            history.write(a, .recovery, knowing: [history.add(step, entry)])
        } else {
            history.write(a, .recovery)
            let entry = history.draft(step)
            history.add(step, entry)
            history.write(n, .remove(devices(a)))
        }
        return history
    }

    /// The finder of an old sheet writes as of the time before the keys were replaced.
    @Test func `admits nobody with a recovery key that was replaced`() {
        struct Without: CircleRules { var newRecoveryKeysReplaceOldOnes: Bool { false } }
        #expect(oldSheet(StandardCircleRules.self, knowing: false).members == [a])
        #expect(oldSheet(StandardCircleRules.self, knowing: true).members == [a, n])
        #expect(oldSheet(Without.self, knowing: false).members != [a])
    }

    /// What a device had reason to believe when it wrote can turn out to be wrong.
    @Test func `takes back what rests on an admission that is in dispute later`() {
        var history = CircleHistory<StandardCircleRules>(devices: 2)
        let removal = history.write(a, .remove(devices(b)))
        let keys = history.write(b, .recovery)
        history.write(b, .remove(devices(a)), knowing: [keys])
        let step = CircleHistory<StandardCircleRules>.Step(author: n, view: 1, kind: .recover(1))
        let entry = history.draft(step)
        let begin = history.add(step, entry)
        // The new device sees that its recovery key was replaced by a removed device, but not that device's own removal.
        let last = history.write(n, .remove(devices(a)), knowing: [removal, keys, begin])
        #expect(history.circle.stands(history.entries[last].hash))
        #expect(history.members == [a, b] && history.state.isFrozen)
    }

    // MARK: - Devices that break the rules

    private func unknownOperation<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let unknown = history.write(b, .unknown)
        history.write(a, .remove(devices(b)), knowing: [unknown])
        return history
    }

    /// What stops a device must not stop the cure.
    @Test func `is not stopped by an unknown operation, and its author can be removed`() {
        struct Without: CircleRules {
            func stops(_ device: DeviceID, unknownOperationOf author: DeviceID) -> Bool { true }
        }
        #expect(unknownOperation(StandardCircleRules.self).members == [a, c])
        #expect(unknownOperation(Without.self).members == [a, b, c])
        // The device itself changes nothing more.
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let unknown = history.write(b, .unknown)
        history.write(b, .remove(devices(a)), knowing: [unknown])
        #expect(
            history.members == [a, b, c] && history.state.stopped == [CircleHistory<StandardCircleRules>.device(b)]
        )
        // Only the owner can say that readers must be newer.
        #expect(history.state.minimumReader == 0)
    }

    /// Two entries that do not know each other take nothing back that the owner signed.
    @Test func `lets a device that forked be removed, and keeps what the owner signed before`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let admission = history.write(b, .admit(n))
        let fork = CircleHistory<StandardCircleRules>.Step(author: b, view: 1, kind: .other)
        let entry = history.draft(fork)
        let twin = history.add(fork, entry)
        #expect(history.members == [a, b, c, n])
        #expect(history.state.stopped == [CircleHistory<StandardCircleRules>.device(b)])
        let late = history.draft(.init(author: b, view: 7, kind: .remove(devices(a))))
        #expect(!history.mayWrite(late))
        history.write(a, .remove(devices(b)), knowing: [admission, twin])
        #expect(history.members == [a, c, n])
    }

    private func forkedParty<Rules: CircleRules>(_: Rules.Type) -> CircleHistory<Rules> {
        var history = CircleHistory<Rules>(devices: 3)
        let removal = history.write(a, .remove(devices(b)))
        let other = history.write(b, .remove(devices(c)))
        // The first device signs a second chain, in which it saw the other removal and not its own.
        let step = CircleHistory<Rules>.Step(author: a, view: 1 | 1 << UInt32(other), kind: .other)
        let entry = history.draft(step)
        history.add(step, entry)
        history.write(c, .remove(devices(a)), knowing: [removal, other])
        return history
    }

    @Test func `hears no party about the other side`() {
        struct Without: CircleRules { func isWitness(isParty: Bool) -> Bool { true } }
        #expect(forkedParty(StandardCircleRules.self).members.contains(c))
        #expect(!forkedParty(Without.self).members.contains(c))
    }

    @Test func `takes a device back only with a new key`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let removal = history.write(a, .remove(devices(b)))
        let again = history.draft(.init(author: a, view: 1 | 1 << UInt32(removal), kind: .admit(b)))
        #expect(!history.mayWrite(again))
    }
}
