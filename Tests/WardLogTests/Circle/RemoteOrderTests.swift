import Testing
import WardLog

/// Three devices and a server that may show each of them another order: what the devices can find out.
@Suite struct `The order of a server` {
    /// A device, and the entries that the server showed to it.
    private struct Reader {
        var order = RemoteOrder(order: [7])
        var shown: [Int] = []
        var contradicts = false
        /// Positions that wait until this device has read as far, with the entries.
        var waiting: [Int] = []
    }

    private struct Written {
        let author: Int
        let position: RemotePosition
        /// What the author had been shown.
        let shown: [Int]
    }

    private struct Counts {
        var histories = 0
        var forked = 0
        var crossings = 0
        var found = 0
        var later = 0
        var unseen = 0
    }

    private var counts = Counts()

    private static func hash(_ entry: Int) -> [UInt8] { [UInt8](repeating: UInt8(entry + 1), count: 32) }

    private static func haveSameBeginning(_ one: [Int], _ other: [Int]) -> Bool {
        zip(one, other).allSatisfy { $0 == $1 }
    }

    private static func show(_ entry: Int, to reader: inout Reader, _ written: [Written]) {
        reader.order.append(hash(entry))
        reader.shown.append(entry)
        reader.waiting.append(entry)
        reader.waiting.removeAll { waiting in
            switch reader.order.compare(written[waiting].position) {
            case .agrees, .isOfAnotherOrder: return true
            case .contradicts:
                reader.contradicts = true
                return true
            case .isAhead: return false
            }
        }
    }

    /// Everything that the server can do: each device writes or is shown any entry that it was not shown, its own ones too.
    private mutating func visit(_ readers: [Reader], _ written: [Written], depth: Int, writes: Int) {
        counts.histories += 1
        check(readers, written)
        guard depth > 0 else { return }
        for index in readers.indices {
            if written.count < writes {
                let entry = Written(
                    author: index,
                    position: readers[index].order.position,
                    shown: readers[index].shown
                )
                visit(readers, written + [entry], depth: depth - 1, writes: writes)
            }
            for entry in written.indices where !readers[index].shown.contains(entry) {
                var next = readers
                Self.show(entry, to: &next[index], written)
                visit(next, written, depth: depth - 1, writes: writes)
            }
        }
    }

    /// Compares what the devices found with what the server did.
    private mutating func check(_ readers: [Reader], _ written: [Written]) {
        let isForked = readers.contains { one in
            readers.contains { !Self.haveSameBeginning(one.shown, $0.shown) }
        }
        if isForked { counts.forked += 1 }
        for reader in readers {
            var hasCrossed = false
            for entry in reader.shown where !Self.haveSameBeginning(written[entry].shown, reader.shown) {
                counts.crossings += 1
                hasCrossed = true
                if written[entry].position.number <= reader.shown.count {
                    counts.found += 1
                    #expect(reader.contradicts)
                } else {
                    counts.later += 1
                    #expect(reader.contradicts || reader.waiting.contains(entry))
                }
            }
            // No false alarm.
            if !hasCrossed { #expect(!reader.contradicts) }
        }
        if isForked, !readers.contains(where: \.contradicts) { counts.unseen += 1 }
    }

    /// An entry of a device that was shown another order is the proof, at the latest when the reader has read as far as its
    /// author had. A fork of which no such entry crosses is not found: nothing is claimed about it.
    @Test mutating func `contradicts itself at the first entry that crosses a fork, and never otherwise`() {
        visit([Reader(), Reader(), Reader()], [], depth: Exploration.isFull ? 7 : 4, writes: 3)
        visit([Reader(), Reader()], [], depth: Exploration.isFull ? 8 : 7, writes: 3)
        print("server: \(counts)")
        #expect(counts.found > 0 && counts.later > 0 && counts.unseen > 0)
    }

    @Test func `is compared only with positions of the same order`() {
        var order = RemoteOrder(order: [1])
        #expect(order.compare(RemoteOrder(order: [1]).position) == .agrees)
        #expect(order.compare(RemoteOrder(order: [2]).position) == .isOfAnotherOrder)
        order.append([1])
        var other = RemoteOrder(order: [1])
        other.append([2])
        #expect(order.compare(other.position) == .contradicts)
        other.append([3])
        #expect(order.compare(other.position) == .isAhead)
        order.append([3])
        #expect(order.compare(other.position) == .contradicts)
        var far = order.position
        far.number = .max
        #expect(order.compare(far) == .isAhead)
    }
}
