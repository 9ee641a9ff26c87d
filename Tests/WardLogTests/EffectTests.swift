import Testing
import WardCBOR
import WardLog

/// What a dishonest device, or one with a wrong clock, can do to a log.
@Suite struct `A device that breaks the rules` {
    private let item = LogItemID.number(1)

    /// Two entries of one device with one number, both made on what the device knows.
    private func fork(_ device: LogFixture.Device) throws -> (SignedEntry, SignedEntry) {
        let pair = try [1, 2].map { content in
            device.signed(try device.draft(.revision(device.revision(item, content: content))))
        }
        return (pair[0], pair[1])
    }

    /// A restored or stolen device signs twice under one number, and others have built on either of the two.
    @Test func `with two entries of one number counts up to there, and the others go on`() throws {
        let log = try LogFixture(devices: 3)
        let good = try log[1].edit(item, content: 9)
        try log.meet()
        let (one, two) = try fork(log[1])
        // The first device has one branch and builds on it, the last one has the other.
        #expect(try log[0].take(one) == .taken)
        #expect(log[0].graph.heads(of: item).map(\.hash) == [one.hash])
        let later = try log[0].edit(item, content: 3)
        #expect(try log[2].take(two) == .taken)
        try log[2].take([one, later])
        try log[0].take([two])
        for device in [log[0], log[2]] {
            #expect(device.graph.voidSequence(of: log[1].id) == one.entry.sequence)
            #expect(device.graph.heads(of: item).map(\.hash) == [later.hash])
            #expect(device.graph.isEffective(good.hash) && !device.graph.isEffective(one.hash))
            #expect(device.graph.voidRevisions(of: item).count == 2)
        }
        // Both branches are named, so the next device learns of it from the entry alone; the bad device writes no more.
        try log[2].edit(.number(2))
        let after = try log[0].edit(item, content: 4)
        #expect(try log[2].take(after) == .taken)
        #expect(Set(after.entry.seen.map(\.hash)).isSuperset(of: [two.hash]))
        try log[1].take([one, two])
        #expect(throws: LogError.self) { try log[1].draft(.ignorable(128, [:])) }
    }

    @Test func `forks before its newest entry, and all orders say the same`() throws {
        let log = try LogFixture(devices: 3)
        let (one, two) = try fork(log[1])
        try log[1].take(one)
        let three = try log[1].edit(item, content: 5)
        let four = try log[1].edit(.number(2), content: 5)
        try log[0].take(log[1].log)
        let after = try log[0].edit(item, content: 6)
        let all = log[0].log + [two]
        var generator = SplitMix(state: 5)
        for _ in 0..<30 {
            let other = try log.empty()
            try other.take(all.shuffled(using: &generator))
            #expect(other.graph.count == all.count)
            #expect(other.graph.voidSequence(of: log[1].id) == one.entry.sequence)
            #expect(other.graph.heads(of: item).map(\.hash) == [after.hash])
            #expect(other.graph.heads(of: .number(2)).isEmpty)
            #expect(!other.graph.isEffective(three.hash) && !other.graph.isEffective(four.hash))
        }
    }

    /// Devices may have cleared the data before they heard of the second entry, and nobody else has it.
    @Test func `leaves data missing that it had cleared, and what needs it counts again`() throws {
        let log = try LogFixture(devices: 3)
        let kept = try log[0].edit(item, content: 1)
        let deep = try log[0].edit(.number(2))
        try log.meet()
        let (one, two) = try fork(log[1])
        try log[1].take(one)
        let removal = try log[1].purge(item)
        var edits: [SignedEntry] = []
        for _ in 0..<99 { edits.append(try log[1].edit(.number(2))) }
        try log[0].take([one, removal] + edits)
        #expect(log[0].graph.entriesInUse([kept.hash, one.hash], of: item).isEmpty)
        #expect(log[0].graph.perhapsCleared(of: .number(2)).isEmpty)
        edits.append(try log[1].edit(.number(2)))
        try log[0].take(edits + [two])
        let graph = log[0].graph
        #expect(!graph.isEffective(removal.hash) && graph.heads(of: item).map(\.hash) == [kept.hash])
        for number in UInt8(1)...2 { #expect(graph.clearableRevisions(of: .number(number)).isEmpty) }
        #expect(graph.perhapsCleared(of: item) == [kept.hash: removal.entry.time, one.hash: removal.entry.time])
        #expect(graph.perhapsCleared(of: .number(2)) == [deep.hash: edits[0].entry.time])
        #expect(graph.entriesInUse([kept.hash, one.hash, two.hash], of: item) == [kept.hash])
        #expect(graph.entriesInUse(Set([deep, edits[0]].map(\.hash)), of: .number(2)) == [deep.hash])
    }

    /// What is lost then is the device's own, and it stays in the log; the first device of all cannot do it.
    @Test func `signs its first entry again and takes out of force what it wrote, and nothing else`() throws {
        let log = try LogFixture(devices: 3)
        try log[0].edit(item, content: 1)
        try log.meet()
        let own = try log[1].edit(item, content: 2)
        let alone = try log[1].edit(.number(2), content: 2)
        try log.meet()
        let other = try log[2].edit(.number(3), content: 3)
        let built = try log[2].edit(item, content: 4)
        try log.meet()
        let first = LogEntry(
            device: log[1].id,
            sequence: 1,
            previous: nil,
            time: HybridTime(seconds: 1_800_000_000),
            seen: [],
            operation: .enrol(device: log[1].publicKey, certificate: log.certificate(log[1].publicKey))
        )
        #expect(try log[0].take(log[1].signed(first)) == .taken)
        let graph = log[0].graph
        #expect(graph.voidSequence(of: log[1].id) == 1)
        #expect(graph.heads(of: item).map(\.hash) == [built.hash])
        #expect(graph.heads(of: .number(3)).map(\.hash) == [other.hash])
        #expect(graph.heads(of: .number(2)).isEmpty)
        #expect(graph.voidRevisions(of: .number(2)).map(\.hash) == [alone.hash])
        #expect(graph.voidRevisions(of: item).map(\.hash) == [own.hash])
        // Nothing of that may be cleared.
        for number in 1...3 { #expect(graph.clearableRevisions(of: .number(UInt8(number))).isEmpty) }
        let genesis = LogEntry(
            device: log[0].id,
            sequence: 1,
            previous: nil,
            time: HybridTime(seconds: 1_800_000_000),
            seen: [],
            operation: log.genesis.entry.operation
        )
        #expect(throws: LogError.self) { try log[2].take(genesis.signed(vault: nil, by: log[0].sign)) }
    }

    /// A void revision that has all heads as parents hides none of them.
    @Test func `hides nothing with revisions that do not count`() throws {
        let log = try LogFixture(devices: 3)
        let mine = try log[0].edit(item, content: 1)
        let other = try log[2].edit(item, content: 2)
        try log.meet()
        let (one, two) = try fork(log[1])
        try log[0].take([one, two])
        #expect(Set(log[0].graph.heads(of: item).map(\.hash)) == [mine.hash, other.hash])
        // A removal that does not count removes nothing.
        let bad = try LogFixture(devices: 2)
        try bad[0].edit(item)
        try bad.meet()
        let purge = bad[1].signed(
            try bad[1].draft(.purge(item: item, parents: bad[1].graph.heads(of: item).map(\.hash)))
        )
        let twin = bad[1].signed(try bad[1].draft(.ignorable(128, [:])))
        try bad[0].take(purge)
        #expect(bad[0].graph.heads(of: item).isEmpty)
        #expect(bad[0].graph.removals().map(\.item) == [item])
        try bad[0].take(twin)
        #expect(bad[0].graph.heads(of: item).count == 1)
        #expect(bad[0].graph.removals().isEmpty)
    }

    /// A stolen device signs the largest time, so that no honest entry could be later.
    @Test func `with a clock years ahead stops nobody from writing`() throws {
        let log = try LogFixture(devices: 2)
        var bomb = try log[1].draft(.revision(log[1].revision(item)))
        bomb.time = HybridTime(value: HybridTime.limit - 1)
        try log[1].take(log[1].signed(bomb))
        try log.meet()
        let next = try log[0].edit(item)
        #expect(next.entry.time.seconds == log[0].now)
        #expect(next.entry.seen.count == 1)
        // Within a day the other clock is believed.
        let hour = try LogFixture(devices: 2)
        hour[1].now += 3600
        let ahead = try hour[1].edit(item)
        try hour.meet()
        #expect(try hour[0].edit(item).entry.time > ahead.entry.time)
        // The device itself has no time left, and says so.
        #expect(throws: LogError.self) { try log[1].edit(item) }
        var over = bomb
        over.time = HybridTime(value: HybridTime.limit)
        #expect(throws: LogError.self) { try SignedEntry(encoded: log[1].signed(over).encoded) }
    }

    @Test func `writes no entry that is earlier than its own previous one`() throws {
        let log = try LogFixture(devices: 2)
        let last = try log[0].edit(item)
        for time in [last.entry.time.value, last.entry.time.value - 1, 0] {
            var entry = try log[0].draft(.revision(log[0].revision(item)))
            entry.time = HybridTime(value: time)
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
        }
        // Earlier than what it names is not a fault: clocks differ.
        try log[1].take(log[0].log)
        var entry = try log[1].draft(.revision(log[1].revision(item)))
        entry.time = HybridTime(value: log[1].log.last { $0.entry.device == log[1].id }!.entry.time.value + 1)
        #expect(try log[1].take(log[1].signed(entry)) == .taken)
    }

    @Test(arguments: [.min, -1, 0, .max] as [Int64])
    func `with any clock at all can write`(now: Int64) throws {
        let log = try LogFixture(devices: 2)
        log[1].now = now
        try log[1].edit(item)
        try log[1].edit(item)
        try log.meet()
        #expect(log[0].graph.heads(of: item).count == 1)
    }

    @Test func `with clocks that are ten years apart agree`() throws {
        let (log, years) = (try LogFixture(devices: 3), 10 * 365 * 86_400 as Int64)
        log[1].now += years
        log[2].now -= years
        for round in 0..<3 {
            // At the same time, then one after the other.
            for device in 0..<3 { try log[device].edit(item) }
            try log.meet()
            #expect(log[0].graph.heads(of: item).count == 3)
            let writer = round
            try log[writer].edit(item)
            try log.meet()
            let heads = (0..<3).map { log[$0].graph.heads(of: item).map(\.hash) }
            #expect(heads[0].count == 1 && heads[1] == heads[0] && heads[2] == heads[0])
        }
    }

    /// The counter of a second has 65,536 values, and then the next second is used up.
    @Test func `that writes 70,000 entries in a second has a later time for each`() throws {
        let log = try LogFixture(devices: 2)
        var last = try log[0].edit(item).entry.time
        for _ in 0..<70_000 {
            let next = HybridTime(now: log[0].now, after: last)
            #expect(next > last)
            last = next
        }
        #expect(last.seconds == log[0].now + 1)
        var entry = try log[0].draft(.revision(log[0].revision(item)))
        entry.time = last
        try log[0].take(log[0].signed(entry))
        let after = try log[0].edit(item)
        #expect(after.entry.time.value == last.value + 1)
        try log.meet()
        #expect(log[1].graph.heads(of: item).map(\.hash) == [after.hash])
    }

    /// A stolen device writes what no reader knows, so that all readers would stop.
    @Test(arguments: [0, 6, 9, 12, 19, 21, 99, 127] as [UInt64])
    func `with an operation that nothing announced counts up to there, and the others go on`(code: UInt64) throws {
        let log = try LogFixture(devices: 2)
        let good = try log[1].edit(item)
        let entry = log[1].signed(try log[1].draft(.unknown(code, ["what": "ever"])))
        let unknown = try SignedEntry(encoded: entry.encoded)
        #expect(unknown.entry.operation == .unknown(code, ["what": "ever"]))
        try log[1].take(unknown)
        try log[1].write(.ignorable(128, [:]))
        try log[0].take(log[1].log)
        #expect(log[0].graph.voidSequence(of: log[1].id) == unknown.entry.sequence)
        #expect(log[0].graph.heads(of: item).map(\.hash) == [good.hash])
        let next = try log[0].edit(item)
        #expect(try log[1].take(next) == .taken)
        #expect(log[1].graph.heads(of: item).map(\.hash) == [next.hash])
    }

    @Test func `with an entry of a later version counts up to there`() throws {
        let log = try LogFixture(devices: 2)
        var entry = try log[1].draft(.revision(log[1].revision(item)))
        entry.version = 2
        let later = try SignedEntry(encoded: log[1].signed(entry).encoded)
        try log[0].take(later)
        #expect(log[0].graph.voidSequence(of: log[1].id) == entry.sequence)
        #expect(log[0].graph.heads(of: item).isEmpty)
    }

    @Test func `passes over what may be passed over`() throws {
        let log = try LogFixture(devices: 2)
        try log[1].write(.ignorable(128, ["what": "ever"]))
        try log[1].write(.ignorable(.max, [:]))
        let entry = try log[1].edit(item)
        try log[0].take(log[1].log.map { try SignedEntry(encoded: $0.encoded) })
        #expect(log[0].graph.heads(of: item).map(\.hash) == [entry.hash])
        #expect(log[0].graph.voidSequence(of: log[1].id) == nil)
    }
}
