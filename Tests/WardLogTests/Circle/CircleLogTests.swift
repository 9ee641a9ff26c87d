import Testing
import WardLog

/// The circle of devices in a log, with real entries.
@Suite struct `A log with a circle of devices` {
    private let item = LogItemID.number(1)

    @Test func `takes the operations of members, and knows the circle and the epoch`() throws {
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        let ids = Set(circle.devices.map(\.id))
        #expect(circle.devices.allSatisfy { $0.graph.circleState?.members == ids })
        #expect(circle[0].graph.circleState?.key?.epoch == 1 && circle[0].graph.header?.generation == 1)
        let newcomer = try circle.admit(20, by: circle[1])
        try circle.meet()
        #expect(circle[0].graph.circleState?.members.contains(newcomer.id) == true)
        try newcomer.editInCircle(item)
        try circle.meet()
        #expect(circle[2].graph.heads(of: item).count == 1)
    }

    /// A server checks an entry, stores it, and then takes it in.
    @Test func `is the same whether entries are checked and then added, or taken at once`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        for _ in 0..<3 {
            for number in 0..<2 {
                for _ in 0..<2 { try circle[number].editInCircle(item) }
                try circle.meet()
            }
        }
        try circle.remove([circle[2]], by: circle[0])
        try circle.meet()
        try circle[1].editInCircle(item)
        try circle.meet()
        var (first, second) = (try circle.empty().graph, try circle.empty().graph)
        var count = 0
        for entry in circle[0].log {
            let (before, most) = (first.circleWords, first.circleWords(of: entry.entry))
            if let checked = try first.check(entry) {
                #expect(!first.contains(entry.hash) && first.count == second.count)
                first.add(checked)
                count += 1
            } else {
                #expect(try first.take(entry) == .taken)
            }
            #expect(first.circleWords - before <= most)
            #expect(try second.take(entry) == .taken)
        }
        // All but the beginnings of devices, the operations, and what tells news of them.
        #expect(count > 6 && count < circle[0].log.count - 5)
        #expect(first.heads(of: item).map(\.hash) == second.heads(of: item).map(\.hash))
        #expect(first.circleState == second.circleState && first.circlePositions == second.circlePositions)
        #expect(first.writers == second.writers && first.circleWords == second.circleWords)
    }

    @Test func `refuses an entry that is only checked, as one that is taken`() throws {
        let circle = try CircleFixture(devices: 2, .ed25519)
        try circle.meet()
        try circle[0].editInCircle(item)
        var reader = circle[0].graph
        let next = try circle[0].draft(.ignorable(129, [:]))
        var other = next
        other.time = HybridTime(value: 1)
        #expect(throws: LogError.self) { try reader.check(circle[0].signed(other)) }
        var signature = circle[0].signed(next).signature
        signature[0] ^= 1
        let spoiled = SignedEntry(entry: next, payload: next.payload(), signature: signature)
        #expect(throws: LogError.self) { try reader.check(spoiled) }
        // Beside the last one: it begins a chain.
        other = next
        (other.sequence, other.previous) = (next.sequence - 1, circle[0].log.dropLast().last?.hash)
        let (isBeside, isNext) = (
            try reader.check(circle[0].signed(other)) == nil, try reader.check(circle[0].signed(next)) != nil
        )
        #expect(isBeside && isNext && reader.count == circle[0].graph.count)
    }

    @Test func `voids what a removed device wrote beside its removal, in every order`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let before = try circle[2].editInCircle(item, content: 1)
        try circle.meet()
        let beside = try circle[2].editInCircle(item, content: 2)
        let removal = try circle.remove([circle[2]], by: circle[0])
        try circle[1].take(circle[0].log)
        let other = try circle[1].editInCircle(.number(2))
        let all = circle[2].log + [removal, other]
        var generator = SplitMix(state: 1)
        for _ in 0..<20 {
            let reader = try circle.empty()
            try reader.take(all.shuffled(using: &generator))
            #expect(reader.graph.contains(beside.hash) && !reader.graph.isEffective(beside.hash))
            #expect(reader.graph.heads(of: item).map(\.hash) == [before.hash])
            #expect(reader.graph.circleState?.removed[circle[2].id] == [removal.hash])
        }
    }

    @Test func `refuses what a device writes that knows its removal`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let removal = try circle.remove([circle[2]], by: circle[0])
        try circle[2].take(removal)
        #expect(throws: LogError.self) { try circle[2].editInCircle(item) }
        #expect(throws: LogError.self) { try circle[2].write(.ignorable(129, [:])) }
    }

    /// Whoever ever opened the vault has the key that once admitted devices.
    @Test func `lets nobody in with the key of the vault`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let stranger = try circle.stranger(30, like: circle[0])
        let enrol = LogOperation.enrol(
            device: stranger.publicKey,
            certificate: circle.base.certificate(stranger.publicKey)
        )
        #expect(throws: LogError.self) { try stranger.write(enrol) }
        // Beside the beginning of the circle it is taken, and does nothing.
        let late = try circle.base.stranger(31)
        try late.write(.enrol(device: late.publicKey, certificate: circle.base.certificate(late.publicKey)))
        let edit = try late.edit(item)
        try circle[0].take(late.log)
        #expect(circle[0].graph.contains(edit.hash) && !circle[0].graph.isEffective(edit.hash))
        #expect(circle[0].graph.heads(of: item).isEmpty)
        #expect(circle[0].graph.circleState?.members.contains(late.id) == false)
    }

    /// A member writes a second beginning.
    @Test func `begins once`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let thief = circle[1]
        let keys = circle.keys(by: thief)
        let second = try circle.write(.begin(members: [CircleFixture.device(thief)], recovery: [], keys), by: thief)
        try circle[0].take(second)
        #expect(!circle[0].graph.stands(second.hash))
        #expect(circle[0].graph.circleState?.members.count == 2)
    }

    @Test func `takes an operation without the owner, and it does nothing`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let thief = circle[2]
        let ids = [circle[0].id]
        var entry = try circle.draft(.remove(ids, circle.keys(by: thief, without: ids)), by: thief)
        entry.approvals.removeAll { $0.publicKey == CircleFixture.signer(99, .keyedHash).publicKey }
        #expect(entry.approvals.count == 1)
        let signed = thief.signed(entry)
        #expect(try circle[1].take(signed) == .taken)
        #expect(!circle[1].graph.stands(signed.hash) && circle[1].graph.circleState?.removed == [:])
    }

    /// Neither needs the owner key; the second one takes two stolen devices.
    @Test func `does not grow by operations that do not stand, nor by devices that name each other in turn`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        for device in circle.devices { try device.write(.ignorable(130, [:])) }
        try circle.meet()
        let (positions, state) = (circle[0].graph.circlePositions, circle[0].graph.circleState)
        let (one, other) = (circle[1], circle[2])
        for number in UInt8(0)..<10 {
            let operations: [LogOperation] = [
                .header(generation: 2, hash: [UInt8](repeating: number, count: 32)), .circle(.place([number])),
                .circle(.rekey(circle.keys(by: one))), .naming,
            ]
            for operation in operations {
                let entry = try one.write(operation)
                #expect(!one.graph.stands(entry.hash))
                try other.take(entry)
                try one.take(other.write(.naming))
            }
        }
        try circle[0].take(one.log + other.log)
        #expect(circle[0].graph.count == one.graph.count)
        #expect(circle[0].graph.circlePositions == positions && circle[0].graph.circleState == state)
        // What stands is news, once for each device.
        try circle.replaceHeader(by: circle[0])
        try circle.meet()
        for _ in 0..<3 {
            for device in circle.devices { try device.write(.naming) }
            try circle.meet()
        }
        #expect(circle[0].graph.circlePositions.count == positions.count + 3)
    }

    /// The owner signs the whole entry.
    @Test func `refuses a signature of the owner that was made for another entry`() throws {
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        let device = circle[1]
        let ids = [circle[2].id]
        let entry = try circle.draft(.remove(ids, circle.keys(by: device, without: ids)), by: device)
        var other = entry
        other.time = HybridTime(value: entry.time.value + 1)
        #expect(throws: LogError.self) { try circle[0].take(device.signed(other)) }
        other = entry
        other.seen = []
        #expect(throws: LogError.self) { try circle[0].take(device.signed(other)) }
        other = entry
        guard case .circle(.remove(_, let keys)) = entry.operation else { return }
        other.operation = .circle(.rekey(keys))
        #expect(throws: LogError.self) { try circle[0].take(device.signed(other)) }
        other = entry
        other.approvals[0].signature[5] ^= 1
        #expect(throws: LogError.self) { try circle[0].take(device.signed(other)) }
        // A signature of the owner key as one of a recovery key.
        other = entry
        other.recoveryApproval = entry.approvals[0]
        #expect(throws: LogError.self) { try circle[0].take(device.signed(other)) }
        #expect(try circle[0].take(device.signed(entry)) == .taken)
    }

    @Test func `lets a device begin only with an admission that stands`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let newcomer = try circle.stranger(20, like: circle[0])
        var admission = try circle.draft(.admit(CircleFixture.device(newcomer), name: []), by: circle[0])
        admission.approvals = []
        let signed = circle[0].signed(admission)
        try circle[0].take(signed)
        try newcomer.take(signed)
        #expect(throws: LogError.self) { try newcomer.write(.circle(.joinAdmitted(signed.hash))) }
        #expect(throws: LogError.self) { try newcomer.write(.circle(.joinAdmitted(circle.root.hash))) }
        // Another device with the admission of somebody else.
        let right = try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: circle[0])
        let usurper = try circle.stranger(21, like: circle[0])
        #expect(throws: LogError.self) { try usurper.write(.circle(.joinAdmitted(right.hash))) }
        // The admitted device in the name of another one, and twice.
        try newcomer.take(right)
        var entry = try newcomer.draft(.circle(.joinAdmitted(right.hash)))
        entry.device = usurper.id
        #expect(throws: LogError.self) { try newcomer.take(newcomer.signed(entry)) }
        try newcomer.write(.circle(.joinAdmitted(right.hash)))
        var again = try newcomer.draft(.circle(.joinAdmitted(right.hash)))
        again.seen = [LogEntry.Seen(device: right.entry.device, sequence: right.entry.sequence, hash: right.hash)]
        #expect(throws: LogError.self) { try newcomer.take(newcomer.signed(again)) }
    }

    /// The member that admitted it goes on writing before the device begins.
    @Test func `lets a device begin behind later entries of the member that admitted it`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let newcomer = try circle.stranger(20, like: circle[0])
        let admission = try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: circle[0])
        try circle[0].editInCircle(item)
        try newcomer.take(circle[0].log)
        try newcomer.write(.circle(.joinAdmitted(admission.hash)))
        try newcomer.editInCircle(item)
        try circle[0].take(newcomer.log)
        #expect(circle[0].graph.heads(of: item).map(\.device) == [newcomer.id])
        // Without its admission in its past it is nobody.
        let other = try circle.stranger(21, like: circle[1])
        let second = try circle.write(.admit(CircleFixture.device(other), name: []), by: circle[0])
        let early = try other.draft(.circle(.joinAdmitted(second.hash)))
        #expect(throws: LogError.self) { try circle[0].take(other.signed(early)) }
    }

    @Test func `lets a device begin with a recovery key in force, and no other`() throws {
        let circle = try CircleFixture(devices: 1)
        let newcomer = try circle.stranger(20, like: circle[0])
        let join = CircleRecord.joinRecovered(CircleFixture.device(newcomer))
        #expect(throws: LogError.self) { try circle.write(join, by: newcomer) }
        #expect(throws: LogError.self) { try circle.write(join, by: newcomer, recovery: 51) }
        // In the name of a device with another key.
        var other = try newcomer.draft(.circle(join))
        other.device = try circle.stranger(23, like: circle[0]).id
        let named = newcomer.signed(try circle.approved(other, by: newcomer, recovery: CircleFixture.paper))
        #expect(throws: LogError.self) { try newcomer.take(named) }
        let joined = try circle.write(join, by: newcomer, recovery: CircleFixture.paper)
        try circle[0].take(joined)
        #expect(circle[0].graph.circleState?.members == [circle[0].id, newcomer.id])
        // The keys are replaced, and the old one admits nobody any more.
        let keys = circle.keys(by: circle[0])
        let replaced = CircleRecord.recovery([CircleFixture.recoveryKey(51, .keyedHash)], keys)
        try circle.write(replaced, by: circle[0])
        let late = try circle.stranger(21, like: circle[0])
        let again = CircleRecord.joinRecovered(CircleFixture.device(late))
        #expect(throws: LogError.self) { try circle.write(again, by: late, recovery: CircleFixture.paper) }
        // Beside the replacement it is taken, and does not count.
        let beside = try circle.stranger(22, like: newcomer)
        let finder = CircleRecord.joinRecovered(CircleFixture.device(beside))
        let found = try circle.write(finder, by: beside, recovery: CircleFixture.paper)
        try circle[0].take(found)
        #expect(circle[0].graph.circleState?.members.contains(beside.id) == false)
    }

    @Test func `refuses a revision with a key that was not in force for its device`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let old = try circle[1].draft(.revision(circle[1].revision(item)))
        #expect(throws: LogError.self) { try circle[1].take(circle[1].signed(old)) }
        let right = try circle[1].editInCircle(item)
        try circle.write(.rekey(circle.keys(by: circle[0])), by: circle[0])
        try circle[0].take(right)
        #expect(circle[0].graph.circleState?.key?.epoch == 2)
        #expect(circle[0].graph.heads(of: item).map(\.hash) == [right.hash])
        var stale = circle[0].revision(item)
        stale.epoch = 1
        #expect(throws: LogError.self) { try circle[0].write(.revision(stale)) }
        try circle[0].editInCircle(item)
    }

    @Test func `has the header that the circle says`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let change = try circle.replaceHeader(by: circle[1])
        #expect(circle[1].graph.stands(change.hash) && circle[1].graph.header?.generation == 2)
        try circle[0].replaceHeader(3)
        #expect(circle[0].graph.header?.generation == 1)
        try circle.meet()
        #expect(circle[0].graph.header?.generation == 2 && circle[1].graph.header?.generation == 2)
    }

    /// Two entries beside each other that only change items stop a device too.
    @Test func `stops a device that signed twice`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let thief = circle[2]
        let twin = thief.signed(try thief.draft(.ignorable(130, [:])))
        let shown = try thief.editInCircle(item)
        for device in circle.devices.dropLast() { try device.take([twin, shown]) }
        #expect(circle[0].graph.circleState?.stopped == [thief.id])
        // It goes on, with what somebody wrote who knows both.
        let witness = try circle[1].editInCircle(.number(9))
        try thief.take(twin)
        try thief.take(witness)
        let back = LogFixture.Device(publicKey: thief.publicKey, sign: thief.sign, try circle.empty().graph)
        try back.take(circle[1].log)
        let removal = try circle.draftAfterFork(by: thief, like: back, removing: circle[0])
        try circle[1].take(removal)
        #expect(circle[1].graph.contains(removal.hash) && !circle[1].graph.stands(removal.hash))
    }

    @Test func `is not touched by operations on a circle that the reader does not know`() throws {
        let circle = try CircleFixture(devices: 2)
        let reader = try circle.base.empty()
        try reader.take(circle[0].log)
        #expect(reader.graph.contains(circle.root.hash) && reader.graph.circleState == nil)
        #expect(reader.graph.voidSequence(of: circle[0].id) == circle.root.entry.sequence)
    }
}

extension LogFixture.Device {
    /// A revision with the key that is in force for the device.
    @discardableResult
    func editInCircle(_ item: LogItemID, content: UInt8 = 0) throws -> SignedEntry {
        var record = revision(item, content: content)
        record.epoch = graph.circleState?.key?.epoch ?? 0
        return try write(.revision(record))
    }
}

extension CircleFixture {
    /// A removal by a device that signed twice, after it heard from somebody who knows both of its chains.
    func draftAfterFork(by thief: Device, like reader: Device, removing target: Device) throws -> SignedEntry {
        let last = thief.log.last { $0.entry.device == thief.id }!
        let seen = reader.log.last { $0.entry.device != thief.id }!.entry
        let hash = reader.log.last { $0.entry.device != thief.id }!.hash
        let keys = keys(by: reader, without: [target.id])
        let entry = LogEntry(
            device: thief.id,
            sequence: last.entry.sequence + 1,
            previous: last.hash,
            time: HybridTime(value: last.entry.time.value + 1),
            seen: [LogEntry.Seen(device: seen.device, sequence: seen.sequence, hash: hash)],
            operation: .circle(.remove([target.id], keys))
        )
        return thief.signed(try approved(entry, by: reader))
    }
}
