import Testing
import WardLog

/// Somebody signs entries with the largest numbers there are, or with as many entries as they can.
///
/// A number that wraps round, or a trap, would stop every device that reads the entry, and every server.
@Suite struct `Numbers without bounds` {
    private let item = LogItemID.number(1)

    @Test func `of a time stop nobody, and the largest time is refused`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        for time in [HybridTime.limit, .max] {
            var entry = try circle[1].draft(.ignorable(128, [:]))
            entry.time = HybridTime(value: time)
            let bytes = circle[1].signed(entry).encoded
            #expect(throws: LogError.self) { try SignedEntry(encoded: bytes) }
        }
        var bomb = try circle[1].draft(.ignorable(128, [:]))
        bomb.time = HybridTime(value: HybridTime.limit - 1)
        try circle[0].take(circle[1].signed(bomb))
        // An honest device goes on with its own clock, and removes the other one.
        let next = try circle[0].editInCircle(item)
        #expect(next.entry.time.seconds == circle[0].now && next.entry.seen.count == 1)
        let removal = try circle.remove([circle[1]], by: circle[0])
        #expect(circle[0].graph.stands(removal.hash))
    }

    @Test func `of an entry, a revision, an epoch, a header and a version do nothing`() throws {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let thief = circle[1]
        let before = circle[0].graph.circleState
        var keys = circle.keys(by: thief)
        (keys.epoch, keys.header) = (.max, .max)
        var revision = thief.revision(item)
        (revision.number, revision.epoch) = (.max, .max)
        let operations: [LogOperation] = [
            .revision(revision), .circle(.rekey(keys)), .circle(.remove([circle[0].id], keys)),
            .circle(.recovery([CircleFixture.recoveryKey(.max, .keyedHash)], keys)),
            .header(generation: .max, hash: [UInt8](repeating: 1, count: 32)), .unknown(127, [:]),
            .ignorable(.max, [:]),
        ]
        for operation in operations {
            let entry = try circle.approved(try thief.draft(operation), by: thief)
            let signed = try SignedEntry(encoded: thief.signed(entry).encoded)
            _ = try? circle[0].take(signed)
            var far = entry
            far.sequence = .max
            #expect(throws: LogError.self) { try circle[0].take(thief.signed(far)) }
            #expect(!circle[0].graph.stands(signed.hash))
        }
        #expect(circle[0].graph.circleState?.members == before?.members)
        #expect(
            circle[0].graph.circleState?.key == before?.key && circle[0].graph.circleState?.owners == before?.owners
        )
        #expect(circle[0].graph.heads(of: item).isEmpty)
        let removal = try circle.remove([thief], by: circle[0])
        #expect(circle[0].graph.stands(removal.hash))
    }

    /// Anybody can bring such a circle to a server, which reads it.
    @Test func `in the entry that begins a circle stop nothing but this circle`() throws {
        let log = try LogFixture(devices: 1)
        let owner = CircleFixture.signer(99, .keyedHash)
        let keys = CircleKeysRecord(
            epoch: .max,
            owner: owner.publicKey,
            header: .max,
            headerHash: [UInt8](repeating: 1, count: 32),
            sealed: CircleFixture.sealed(to: [log[0].id])
        )
        let begin = CircleRecord.begin(members: [CircleFixture.device(log[0])], recovery: [], keys)
        let entry = try log[0].draft(.circle(begin)).approved(vault: log[0].graph.vault, owners: [owner])
        let root = log[0].signed(entry)
        var graph = LogGraph(log[0].graph.vault, .keyedHash, circle: root.hash)
        for entry in log[0].log + [root] { try graph.take(entry) }
        #expect(graph.stands(root.hash) && graph.circleState?.largestEpoch == .max)
        for number: UInt64 in [0, 1, .max] {
            var next = keys
            (next.epoch, next.header, next.owner) = (number, number, CircleFixture.signer(98, .keyedHash).publicKey)
            for operation in [LogOperation.circle(.rekey(next)), .header(generation: number, hash: next.headerHash)] {
                let later = try LogChain(graph).next(operation, by: log[0].id, now: 1_700_000_100)
                    .approved(vault: graph.vault, owners: [owner, CircleFixture.signer(98, .keyedHash)])
                let signed = log[0].signed(later)
                var copy = graph
                _ = try copy.take(signed)
                #expect(!copy.stands(signed.hash) && copy.circleState?.key?.epoch == .max)
            }
        }
    }

    /// The device with which the vault began signs beside the entry that begins the circle, and knows nothing of it.
    @Test(arguments: [0, 1, 2, UInt64.max]) func `in another entry that begins a circle do nothing`(number: UInt64)
        throws
    {
        let circle = try CircleFixture(devices: 2)
        try circle.meet()
        let thief = circle.base[0]
        var keys = circle.keys(by: circle[0])
        keys.header = .max
        let begin = CircleRecord.begin(members: [CircleFixture.device(thief)], recovery: [], keys)
        let other = thief.signed(try thief.draft(.circle(begin)))
        // With this circle, the header is the next one.
        let reader = try circle.empty()
        try reader.take(thief.log + [other])
        let header = LogOperation.header(generation: number, hash: keys.headerHash)
        let later = try LogChain(reader.graph).next(header, by: thief.id, now: thief.now)
        let entries = [other, thief.signed(later)]
        for device in [circle[1], reader] { for entry in entries { _ = try? device.take(entry) } }
        try reader.take(circle[1].log)
        for device in [circle[1], reader] {
            #expect(device.graph.contains(other.hash))
            #expect(device.graph.header?.generation == 1 && device.graph.circleState?.members.count == 2)
        }
    }

    /// Each revision is made as if its device knew nothing but the first one.
    @Test func `of revisions beside each other give an item no more heads than it has devices`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let first = try circle[0].editInCircle(item)
        try circle.meet()
        let thief = circle[2]
        var record = thief.revision(item)
        record.epoch = 1
        let branches = try (UInt8(0)..<60).map { number in
            var next = record
            next.blobHash = [UInt8](repeating: number, count: 32)
            return thief.signed(try thief.draft(.revision(next)))
        }
        for branch in branches.prefix(LogLimits.chains) { try circle[0].take(branch) }
        for branch in branches.dropFirst(LogLimits.chains) { #expect((try? circle[0].take(branch)) == nil) }
        // It signed twice, so none of them counts, and the item is as it was.
        #expect(circle[0].graph.heads(of: item).map(\.hash) == [first.hash])
        #expect(circle[0].graph.circleState?.stopped == [thief.id])
        // In one chain each must build on the one before, or it is refused.
        let (one, other) = (circle[1], try CircleFixture(devices: 3))
        try other.meet()
        try other[2].editInCircle(item, content: 1)
        for parents in [[], [first.hash]] {
            var beside = other[2].revision(item)
            (beside.parents, beside.epoch) = (parents, 1)
            let entry = other[2].signed(try other[2].draft(.revision(beside)))
            #expect((try? other[2].take(entry)) != .taken)
        }
        try one.editInCircle(item, content: 5)
        try circle[0].editInCircle(item, content: 6)
        try circle[0].take(one.log)
        #expect(circle[0].graph.heads(of: item).count == 2)
    }
}
