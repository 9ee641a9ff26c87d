import Testing
import WardLog

/// What devices make side by side.
@Suite struct `Several heads` {
    private let item = LogItemID.number(1)

    @Test func `arise where devices change an item side by side, and end with the next change`() throws {
        let log = try LogFixture(devices: 3)
        try log[0].edit(item)
        try log.meet()
        let side = try (0..<3).map { try log[$0].edit(item, content: UInt8($0)) }
        try log.meet()
        for device in log.devices {
            #expect(
                device.graph.heads(of: item).map(\.hash) == side.map(\.hash).sorted { $0.lexicographicallyPrecedes($1) }
            )
        }
        let next = try log[1].edit(item)
        try log.meet()
        #expect(log[2].graph.heads(of: item).map(\.hash) == [next.hash])
        #expect(log[2].graph.history(of: item).map(\.record.number) == [3, 2, 2, 2, 1])
        // Nobody makes more heads than there are devices.
        for _ in 0..<20 { for device in log.devices { try device.edit(item) } }
        try log.meet()
        #expect(log[0].graph.heads(of: item).count == 3)
    }

    @Test func `survive a removal beside them`() throws {
        let log = try LogFixture(devices: 3)
        try log[0].edit(item)
        try log.meet()
        let edit = try log[0].edit(item)
        try log[1].purge(item)
        try log.meet()
        for device in log.devices { #expect(device.graph.heads(of: item).map(\.hash) == [edit.hash]) }
        // A removal that knows the change removes it.
        try log[2].purge(item)
        try log.meet()
        for device in log.devices {
            #expect(device.graph.heads(of: item).isEmpty)
            #expect(device.graph.removedItemIDs() == [item] && device.graph.itemIDs().isEmpty)
        }
    }

    @Test func `of the header leave one in force, which all devices know`() throws {
        let log = try LogFixture(devices: 3)
        try log[0].replaceHeader(1)
        try log.meet()
        log[1].now += 100
        try log[1].replaceHeader(2)
        log[2].now += 200
        try log[2].replaceHeader(3)
        try log.meet()
        for device in log.devices {
            #expect(device.graph.header?.generation == 2)
            #expect(device.graph.header?.hash.first == 3)
            #expect(LogChain(device.graph).headerHash.first == 3)
        }
        try log[1].replaceHeader(4)
        try log.meet()
        #expect(log[0].graph.header?.generation == 3)
        #expect(log[0].graph.header?.hash.first == 4)
    }

    /// A vault needs a header, whatever its devices did.
    @Test func `of the header count again where nothing else is left`() throws {
        let log = try LogFixture(devices: 2)
        let header = try log[0].replaceHeader(1)
        try log.meet()
        try log[1].replaceHeader(2)
        try log[1].replaceHeader(3)
        try log.meet()
        #expect(log[0].graph.header?.generation == 3)
        // The second device is void from before its headers on.
        let own = log[1].log.filter { $0.entry.device == log[1].id }
        var twin = own[1].entry
        twin.operation = .ignorable(128, [:])
        try log[0].take(log[1].signed(twin))
        #expect(log[0].graph.header?.hash == [UInt8](repeating: 1, count: 32))
        var first = header.entry
        first.operation = .ignorable(128, [:])
        try log[0].take(log[0].signed(first))
        #expect(log[0].graph.header?.generation == 3)
    }

    @Test func `are named once`() throws {
        let log = try LogFixture(devices: 3)
        let one = try log[1].edit(item)
        let two = try log[2].edit(.number(2))
        try log[0].take(log[1].log + log[2].log)
        let next = try log[0].edit(.number(3))
        #expect(Set(next.entry.seen.map(\.hash)) == [one.hash, two.hash])
        #expect(next.entry.seen == next.entry.seen.sorted { $0.device < $1.device })
        #expect(try log[0].edit(.number(4)).entry.seen.isEmpty)
        let three = try log[1].edit(item)
        try log[0].take(three)
        #expect(try log[0].edit(item).entry.seen.map(\.hash) == [three.hash])
    }

    /// What lies in the index is enough to write on.
    @Test func `and all else that a writer needs lie in the chain`() throws {
        let log = try LogFixture(devices: 2)
        try log[0].replaceHeader(1)
        try log[1].edit(item)
        try log.meet()
        var chain = LogChain(log[0].graph)
        #expect(LogChain(chain.cbor) == chain)
        for operation in [
            LogOperation.revision(log[0].revision(item)), .ignorable(200, [:]),
            .header(generation: 2, hash: [UInt8](repeating: 2, count: 32)),
        ] {
            let entry = log[0].signed(try chain.next(operation, by: log[0].id, now: 5))
            #expect(try log[0].take(entry) == .taken)
            let isAppended = chain.append(entry, at: chain.position + 1)
            #expect(isAppended && chain == LogChain(log[0].graph))
        }
        // Another device's entry, one that does not follow, and one that names less.
        var refused = [log[1].signed(try log[1].draft(.ignorable(128, [:])))]
        var entry = try chain.next(.ignorable(128, [:]), by: log[0].id, now: 5)
        entry.sequence += 1
        refused.append(log[0].signed(entry))
        try log[1].edit(.number(5))
        try log[0].take(log[1].log)
        entry = try LogChain(log[0].graph).next(.ignorable(128, [:]), by: log[0].id, now: 5)
        entry.seen = []
        refused.append(log[0].signed(entry))
        // One with another number, one that builds on another entry, and one that is not later than the one before.
        for change in [
            { $0.sequence += 1 }, { $0.previous = log.genesis.hash }, { $0.time = HybridTime(value: 1) },
        ] as [(inout LogEntry) -> Void] {
            entry = try LogChain(log[0].graph).next(.ignorable(128, [:]), by: log[0].id, now: 5)
            change(&entry)
            refused.append(log[0].signed(entry))
        }
        for entry in refused {
            var chain = LogChain(log[0].graph)
            let before = chain
            let isAppended = chain.append(entry, at: chain.position + 1)
            #expect(!isAppended && chain == before)
        }
        // One that would lie where another lies.
        chain = LogChain(log[0].graph)
        let next = log[0].signed(try chain.next(.ignorable(128, [:]), by: log[0].id, now: 5))
        let isAppended = chain.append(next, at: chain.position)
        #expect(!isAppended && chain == LogChain(log[0].graph))
    }
}

/// Sets of words that are added and removed: the smallest state with which joining can go wrong.
@Suite struct `Joining revisions` {
    private let item = LogItemID.number(1)

    /// What each revision says, by its content byte.
    private func state(_ device: LogFixture.Device, _ said: [UInt8: Set<String>]) throws -> Set<String>? {
        let merge = RevisionMerge<Set<String>, LogError>(
            empty: [],
            read: { (revision) throws(LogError) in
                guard let words = said[revision.record.blobHash[0]] else { throw .refused("not there") }
                return words
            },
            join: { (base, one, two) throws(LogError) in
                one.union(two).subtracting(base.subtracting(one)).subtracting(base.subtracting(two))
            }
        )
        return try device.graph.state(of: item, merge)
    }

    @Test func `keeps what was added and drops what was removed`() throws {
        let log = try LogFixture(devices: 2)
        let said: [UInt8: Set<String>] = [1: ["a", "b"], 2: ["a", "b", "c"], 3: ["b", "d"], 4: ["e"]]
        try log[0].edit(item, content: 1)
        try log.meet()
        #expect(try state(log[1], said) == ["a", "b"])
        try log[0].edit(item, content: 2)
        try log[1].edit(item, content: 3)
        try log.meet()
        for device in log.devices { #expect(try state(device, said) == ["b", "c", "d"]) }
        // What is missing and not below the rule is not made up.
        #expect(throws: LogError.self) { try state(log[0], said.filter { $0.key != 1 }) }
    }

    /// With one ancestor chosen as base, `b` would come back.
    @Test func `joins the bases first where paths cross`() throws {
        let log = try LogFixture(devices: 2)
        let said: [UInt8: Set<String>] = [
            1: ["a", "b"], 2: ["a", "b", "c"], 3: ["a"], 4: ["a", "c"], 5: ["a", "c", "d"], 6: ["a"],
        ]
        try log[0].edit(item, content: 1)
        try log.meet()
        let adds = try log[0].edit(item, content: 2)
        let removes = try log[1].edit(item, content: 3)
        try log.meet()
        #expect(try state(log[0], said) == ["a", "c"])
        try log[0].edit(item, content: 5)
        try log[1].edit(item, content: 6)
        try log.meet()
        for device in log.devices {
            #expect(try state(device, said) == ["a", "d"])
            #expect(device.graph.isPast(adds.hash, of: device.graph.heads(of: item)[0].hash))
            #expect(device.graph.isPast(removes.hash, of: device.graph.heads(of: item)[1].hash))
            #expect(!device.graph.isPast(adds.hash, of: adds.hash))
        }
    }

    /// What is far below, or removed, counts as empty whether it is still there or not.
    @Test func `counts a base as empty by rule, never by what is at hand`() throws {
        let log = try LogFixture(devices: 3)
        let said: [UInt8: Set<String>] = [1: ["a"], 2: ["a", "x"], 3: ["y"]]
        try log[0].edit(item, content: 1)
        try log.meet()
        for _ in 0..<99 { try log[0].edit(item, content: 2) }
        try log[1].edit(item, content: 3)
        try log.meet()
        #expect(log[0].graph.clearableRevisions(of: item).isEmpty)
        #expect(try state(log[0], said) == ["x", "y"])
        try log.devices[0].edit(.number(9))
        let deep = try LogFixture(devices: 3)
        let first = try deep[0].edit(item, content: 1)
        try deep.meet()
        for _ in 0..<100 { try deep[0].edit(item, content: 2) }
        try deep[1].edit(item, content: 3)
        try deep.meet()
        #expect(deep[0].graph.clearableRevisions(of: item).map(\.hash) == [first.hash])
        #expect(try state(deep[0], said) == ["a", "x", "y"])
        #expect(try state(deep[0], said.filter { $0.key != 1 }) == ["a", "x", "y"])
        let removed = try LogFixture(devices: 3)
        let gone = try removed[0].edit(item, content: 1)
        try removed.meet()
        try removed[0].edit(item, content: 2)
        try removed[1].edit(item, content: 3)
        try removed[2].purge(item)
        #expect(removed[2].graph.clearableRevisions(of: item).map(\.hash) == [gone.hash])
        try removed.meet()
        for device in removed.devices {
            #expect(try state(device, said.filter { $0.key != 1 }) == ["a", "x", "y"])
        }
    }
}
