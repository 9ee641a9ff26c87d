import Testing
import WardCBOR
import WardLog

/// What an entry must be to be taken in.
@Suite struct `An entry is taken in` {
    private let item = LogItemID.number(1)

    @Test(arguments: [SignatureScheme.keyedHash, .ed25519].indices)
    func `when its device signed it, and stays what it is`(scheme: Int) throws {
        let log = try LogFixture(devices: 2, [SignatureScheme.keyedHash, .ed25519][scheme])
        let entry = try log[0].edit(item)
        #expect(try SignedEntry(encoded: entry.encoded) == entry)
        #expect(try log[1].take(entry) == .taken)
        #expect(try log[1].take(entry) == .known)
        #expect(log[1].graph.heads(of: item).map(\.hash) == [entry.hash])
    }

    /// Also in front of a good one, also where the good one comes with it.
    @Test func `with a signature that is right, wherever it stands in a batch`() throws {
        let log = try LogFixture(devices: 2, .ed25519)
        let first = try log[0].edit(item)
        let second = try log[0].edit(item)
        var bytes = first.signature
        bytes[0] ^= 1
        let bad = SignedEntry(entry: first.entry, payload: first.payload, signature: bytes)
        #expect(throws: LogError.self) { try log[1].take(bad) }
        guard case .waits(let missing) = try log[1].take(second) else { return #expect(Bool(false)) }
        #expect(missing.contains(first.hash))
        try log[1].take([second, first])
        #expect(log[1].graph.contains(second.hash))
    }

    @Test func `when everything it names is there, in any order, and twice at will`() throws {
        let log = try LogFixture(devices: 3)
        try log[0].edit(item, content: 1)
        try log[1].edit(item, content: 2)
        try log[2].purge(log[2].edit(.number(2)).item)
        try log.meet()
        try log[0].edit(item, content: 3)
        let all = log[0].log
        let expected = log[0].graph.heads(of: item).map(\.hash)
        var generator = SplitMix(state: 1)
        for _ in 0..<50 {
            let other = try log.empty()
            try other.take(all.shuffled(using: &generator) + all.shuffled(using: &generator))
            #expect(other.graph.count == all.count)
            #expect(other.graph.heads(of: item).map(\.hash) == expected)
            #expect(other.graph.heads(of: .number(2)).isEmpty)
        }
    }

    @Test func `when its device was admitted by the authority`() throws {
        let log = try LogFixture(devices: 1)
        let stranger = try log.stranger(9)
        let entry = try stranger.draft(.revision(stranger.revision(item)))
        #expect(throws: LogError.self) { try stranger.take(stranger.signed(entry)) }
        let forged = try stranger.draft(
            .enrol(device: stranger.publicKey, certificate: [UInt8](repeating: 1, count: 64))
        )
        #expect(throws: LogError.self) { try stranger.take(stranger.signed(forged)) }
        // A certificate of another device.
        let borrowed = try stranger.draft(
            .enrol(device: stranger.publicKey, certificate: log.certificate(log[0].publicKey))
        )
        #expect(throws: LogError.self) { try stranger.take(stranger.signed(borrowed)) }
        // A certificate of its own, and the ID of another device.
        var usurper = try stranger.draft(
            .enrol(device: stranger.publicKey, certificate: log.certificate(stranger.publicKey))
        )
        usurper.device = DeviceID(publicKey: [UInt8](repeating: 8, count: 32))
        #expect(throws: LogError.self) { try stranger.take(stranger.signed(usurper)) }
        // An admission is the first entry of a device.
        let late = try log[0].draft(.enrol(device: log[0].publicKey, certificate: log.certificate(log[0].publicKey)))
        #expect(throws: LogError.self) { try log[0].take(log[0].signed(late)) }
    }

    @Test func `of this vault alone`() throws {
        let log = try LogFixture(devices: 2)
        let other = LogGraph(VaultID(genesis: [1]), .keyedHash)
        var graph = other
        #expect(throws: LogError.self) { try graph.take(log.genesis) }
        // Signed for another vault.
        let entry = try log[0].draft(.revision(log[0].revision(item)))
        let foreign = entry.signed(vault: other.vault, by: log[0].sign)
        #expect(throws: LogError.self) { try log[0].take(foreign) }
        // A second beginning.
        var again = log.genesis.entry
        again.time = HybridTime(value: again.time.value + 1)
        #expect(throws: LogError.self) { try log[0].take(again.signed(vault: nil, by: log[0].sign)) }
        // The same beginning with another signature of its device: it would end the device's chain at its first entry.
        let twin = log.genesis.entry.signed(vault: log[0].graph.vault, by: log[0].sign)
        #expect(twin.payload == log.genesis.payload && twin.hash != log.genesis.hash)
        #expect(throws: LogError.self) { try log[0].take(twin) }
        #expect(log[0].graph.voidSequence(of: log[0].id) == nil)
        // Nothing is taken before the beginning.
        guard case .waits(let missing) = try log.empty().take(log[0].signed(entry)) else { return #expect(Bool(false)) }
        #expect(missing.contains(log.genesis.hash))
    }

    @Test func `when it follows the entry before of its device`() throws {
        let log = try LogFixture(devices: 2)
        try log[0].edit(item)
        let entry = try log[0].draft(.revision(log[0].revision(item)))
        for change in [
            { $0.sequence += 1 }, { $0.sequence -= 1 }, { $0.sequence = 0 }, { $0.previous = nil },
            { $0.previous = log.genesis.hash }, { $0.device = log[1].id },
        ] as [(inout LogEntry) -> Void] {
            var changed = entry
            change(&changed)
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(changed)) }
        }
        #expect(try log[0].take(log[0].signed(entry)) == .taken)
        // A second chain of the device that does not begin with its admission.
        var beginning = try log[0].draft(.ignorable(128, [:]))
        (beginning.sequence, beginning.previous, beginning.seen) = (1, nil, [])
        #expect(throws: LogError.self) { try log[0].take(log[0].signed(beginning)) }
        // Another device goes on where this one is.
        var borrowed = entry
        borrowed.device = log[1].id
        #expect(throws: LogError.self) { try log[0].take(log[1].signed(borrowed)) }
        // A log whose first entry is not a first one.
        var second = log.genesis.entry
        second.sequence = 2
        var graph = LogGraph(VaultID(genesis: second.payload()), .keyedHash)
        #expect(throws: LogError.self) { try graph.take(second.signed(vault: nil, by: log[0].sign)) }
        #expect(graph.count == 0)
    }

    /// The number is right and the hash is another one's, also below the newest entry.
    @Test func `when what it names is exactly that`() throws {
        let log = try LogFixture(devices: 3)
        let first = try log[0].edit(item)
        let second = try log[0].edit(item)
        try log[1].take(log[0].log)
        var entry = try log[1].draft(.revision(log[1].revision(item)))
        #expect(entry.seen.map(\.hash).contains(second.hash))
        for (sequence, hash) in [
            (second.entry.sequence, first.hash), (first.entry.sequence, second.hash),
            (first.entry.sequence - 1, first.hash),
        ] {
            entry.seen = [LogEntry.Seen(device: log[0].id, sequence: sequence, hash: hash)]
            #expect(throws: LogError.self) { try log[1].take(log[1].signed(entry)) }
        }
        // An operation without rules of its own, so that only what it names can be wrong.
        var free = try log[1].draft(.ignorable(128, [:]))
        let own = try #require(log[1].log.last { $0.entry.device == log[1].id })
        for (device, named) in [(1, first), (2, first), (1, own)] {
            free.seen = [
                LogEntry.Seen(device: log[device].id, sequence: named.entry.sequence, hash: named.hash)
            ]
            #expect(throws: LogError.self) { try log[1].take(log[1].signed(free)) }
        }
        entry.seen = [LogEntry.Seen(device: log[0].id, sequence: 9, hash: [UInt8](repeating: 5, count: 32))]
        #expect(try log[1].take(log[1].signed(entry)) == .waits([[UInt8](repeating: 5, count: 32)]))
    }

    /// Nobody chooses an old state to go back to, and nobody makes heads without end.
    @Test func `when its parents are exactly the item's newest revisions in its past`() throws {
        let log = try LogFixture(devices: 2)
        let first = try log[0].edit(item)
        let second = try log[0].edit(item)
        let other = try log[1].edit(item)
        try log.meet()
        let heads = [second.hash, other.hash].sorted { $0.lexicographicallyPrecedes($1) }
        let right = log[0].revision(item)
        #expect(right.parents == heads && right.number == 3)
        for parents in [[], [first.hash], [second.hash], heads + [first.hash], heads.reversed(), heads + heads] {
            var record = right
            record.parents = parents
            let entry = try log[0].draft(.revision(record))
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
            let purge = try log[0].draft(.purge(item: item, parents: parents))
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(purge)) }
        }
        for number in [0, 2, 4, .max] as [UInt64] {
            var record = right
            record.number = number
            let entry = try log[0].draft(.revision(record))
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
        }
        var record = right
        record.epoch = 1
        let entry = try log[0].draft(.revision(record))
        #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
        // Somebody who knows less has fewer parents, and that is right.
        let old = try log.stranger(0)
        #expect(old.graph.heads(of: item).count == 2)
        #expect(try log[0].take(log[0].signed(log[0].draft(.revision(right)))) == .taken)
        #expect(log[0].graph.heads(of: item).count == 1)
    }

    @Test func `when there is something to remove`() throws {
        let log = try LogFixture()
        let entry = try log[0].draft(.purge(item: item, parents: []))
        #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
        try log[0].edit(item)
        try log[0].purge(item)
        let again = try log[0].draft(.purge(item: item, parents: []))
        #expect(throws: LogError.self) { try log[0].take(log[0].signed(again)) }
        // A new life begins at 1.
        #expect(log[0].revision(item).number == 1 && log[0].revision(item).parents.isEmpty)
        try log[0].edit(item)
        #expect(log[0].graph.heads(of: item).count == 1)
        #expect(log[0].graph.history(of: item).count == 1)
    }

    @Test func `when its header has the next generation`() throws {
        let log = try LogFixture(devices: 2)
        try log[0].replaceHeader(1)
        for generation in [0, 1, 3, .max] as [UInt64] {
            let entry = try log[0].draft(.header(generation: generation, hash: [UInt8](repeating: 2, count: 32)))
            #expect(throws: LogError.self) { try log[0].take(log[0].signed(entry)) }
        }
        try log[0].replaceHeader(2)
        #expect(log[0].graph.header?.generation == 2)
    }

    @Test func `in a form that is canonical and short enough`() throws {
        let log = try LogFixture()
        let entry = try log[0].edit(item)
        #expect(throws: LogError.self) { try SignedEntry(encoded: entry.encoded + [0]) }
        #expect(throws: LogError.self) { try SignedEntry(encoded: []) }
        for index in entry.encoded.indices {
            var bytes = entry.encoded
            bytes[index] ^= 1
            guard let changed = try? SignedEntry(encoded: bytes) else { continue }
            let reader = try log.empty()
            try? reader.take([log.genesis, changed])
            #expect(reader.graph.heads(of: item).isEmpty, "byte \(index)")
        }
        let long = LogEntry.maximumLength
        var padded = entry.entry
        padded.unknown = [CBORPair(key: 9, value: .bytes([UInt8](repeating: 0, count: long)))]
        #expect(throws: LogError.self) { try SignedEntry(encoded: log[0].signed(padded).encoded) }
    }
}

extension SignedEntry {
    /// The item that the entry is about.
    var item: LogItemID {
        switch entry.operation {
        case .revision(let record): record.item
        case .purge(let item, _): item
        default: .number(0)
        }
    }
}
