import Testing
import WardLog
import WardTesting

/// A stolen device writes many revisions of one item. Each costs every reader time.
@Suite struct `An item with many revisions of one device` {
    private static let item = LogItemID.number(1)
    private static let count = 800

    /// Entries that follow an entry of a device, each a revision of the item; the first one names an entry of another device.
    private func revisions(
        of device: LogFixture.Device,
        after last: SignedEntry,
        naming named: SignedEntry? = nil,
        _ revision: (SignedEntry) -> RevisionEntry
    ) -> [SignedEntry] {
        var (found, last, seen): ([SignedEntry], SignedEntry, [LogEntry.Seen]) = ([], last, [])
        if let named {
            seen = [LogEntry.Seen(device: named.entry.device, sequence: named.entry.sequence, hash: named.hash)]
        }
        for _ in 0..<Self.count {
            let entry = LogEntry(
                device: device.id,
                sequence: last.entry.sequence + 1,
                previous: last.hash,
                time: HybridTime(value: last.entry.time.value + 1),
                seen: seen,
                operation: .revision(revision(last))
            )
            last = device.signed(entry)
            found.append(last)
            seen = []
        }
        return found
    }

    /// How much longer a log takes for some entries than for the first quarter of them.
    private func growth(_ graph: LogGraph, _ entries: [SignedEntry]) throws -> Double {
        var times: [Duration] = []
        for count in [entries.count / 4, entries.count] {
            var graph = graph
            let time = try processorTime {
                for entry in entries.prefix(count) { _ = try graph.take(entry) }
            }
            times.append(time)
        }
        return times[1] / times[0]
    }

    /// It knows that it signed two entries with one number, so none of its revisions counts for the next one.
    @Test func `costs the same for each, if none of them counts`() throws {
        let log = try LogFixture(devices: 2)
        let good = try log[1].edit(Self.item)
        try log.meet()
        let twins = try [130, 131].map { log[1].signed(try log[1].draft(.ignorable($0, [:]))) }
        try log[0].take(twins)
        let witness = try log[0].write(.ignorable(130, [:]))
        let entries = revisions(of: log[1], after: twins[0], naming: witness) { _ in
            RevisionEntry(
                item: Self.item,
                number: 2,
                parents: [good.hash],
                epoch: 0,
                blobHash: [UInt8](repeating: 1, count: 32)
            )
        }
        #expect(try growth(log[0].graph, entries) < 7)
        try log[0].take(entries)
        #expect(log[0].graph.heads(of: Self.item).map(\.hash) == [good.hash])
        #expect(log[0].graph.voidRevisions(of: Self.item).count == Self.count)
    }

    /// In a circle with a removal, a revision says which others counted for its device.
    @Test func `costs the same for each, if the circle ever had a removal`() throws {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let other = try circle[2].editInCircle(Self.item)
        try circle.meet()
        try circle.remove([circle[2]], by: circle[0])
        try circle.meet()
        let first = try circle[1].editInCircle(Self.item)
        try circle[0].take(first)
        let epoch = circle[0].graph.circleState?.key?.epoch ?? 0
        let entries = revisions(of: circle[1], after: first) { last in
            guard case .revision(let record) = last.entry.operation else { return circle[1].revision(Self.item) }
            return RevisionEntry(
                item: Self.item,
                number: record.number + 1,
                parents: [last.hash],
                epoch: epoch,
                blobHash: record.blobHash
            )
        }
        #expect(try growth(circle[0].graph, entries) < 7)
        try circle[0].take(entries)
        #expect(circle[0].graph.heads(of: Self.item).map(\.hash) == entries.suffix(1).map(\.hash))
        #expect(circle[0].graph.history(of: Self.item).last?.hash == other.hash)
    }
}
