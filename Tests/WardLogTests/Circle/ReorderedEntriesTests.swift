import Testing
import WardLog

/// A folder or a server hands entries out in whatever order it likes, and as often as it likes.
@Suite struct `Six entries in all 720 orders` {
    /// Two edits of one item beside each other, a removal, an edit of the removed device beside it, an admission and a rekey.
    private static func story() throws -> (circle: CircleFixture, entries: [SignedEntry]) {
        let circle = try CircleFixture(devices: 3)
        try circle.meet()
        let one = try circle[1].editInCircle(.number(1), content: 1)
        let other = try circle[0].editInCircle(.number(1), content: 2)
        let removal = try circle.remove([circle[2]], by: circle[0])
        let beside = try circle[2].editInCircle(.number(1), content: 3)
        let newcomer = try circle.stranger(60, like: circle[0])
        let admission = try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: circle[0])
        try newcomer.take(admission)
        let begin = try newcomer.write(.circle(.joinAdmitted(admission.hash)))
        return (circle, [one, other, removal, beside, admission, begin])
    }

    private struct Outcome: Equatable {
        var state: CircleState?
        var heads: [[UInt8]]
        var header: [UInt8]?
        var count: Int
    }

    /// Offers entries one after the other; those that wait are offered again after each one.
    private static func outcome(_ base: LogGraph, _ entries: [SignedEntry]) throws -> Outcome {
        var graph = base
        var waiting: [SignedEntry] = []
        for entry in entries {
            waiting.append(entry)
            while true {
                let before = waiting.count
                waiting = try waiting.filter { if case .waits = try graph.take($0) { true } else { false } }
                guard waiting.count < before, !waiting.isEmpty else { break }
            }
        }
        #expect(waiting.isEmpty)
        return Outcome(
            state: graph.circleState,
            heads: graph.heads(of: .number(1)).map(\.hash),
            header: graph.header?.hash,
            count: graph.count
        )
    }

    private static func orders(_ entries: [SignedEntry]) -> [[SignedEntry]] {
        guard entries.count > 1 else { return [entries] }
        return entries.indices.flatMap { index in
            var rest = entries
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test func `give one result, also with each entry twice`() throws {
        let (circle, entries) = try Self.story()
        let reader = try circle.empty()
        try reader.take(circle[1].log.filter { !entries.contains($0) })
        let expected = try Self.outcome(reader.graph, entries)
        #expect(expected.state?.members.count == 3 && expected.state?.removed.count == 1)
        #expect(expected.heads == [entries[0].hash, entries[1].hash].sorted { $0.lexicographicallyPrecedes($1) })
        let orders = Self.orders(entries)
        #expect(orders.count == 720)
        for (number, order) in orders.enumerated() {
            #expect(try Self.outcome(reader.graph, order) == expected, "\(number)")
            let twice = number % 2 == 0 ? order.flatMap { [$0, $0] } : order + order.reversed()
            #expect(try Self.outcome(reader.graph, twice) == expected, "\(number), twice")
        }
    }

    /// Whatever is left out, the rest is what a device would have that never heard of it.
    @Test func `without one of them, all that does not build on it is taken, and it is asked for`() throws {
        let (circle, entries) = try Self.story()
        let base = circle[1].log.filter { !entries.contains($0) }
        let whole = try circle.empty()
        try whole.take(base + entries)
        for left in entries {
            let reader = try circle.empty()
            try reader.take(base)
            var missing: Set<[UInt8]> = []
            for entry in entries where entry != left {
                if case .waits(let names) = try reader.take(entry) { missing.formUnion(names) }
            }
            for entry in entries where entry != left {
                let buildsOnIt = whole.graph.isPast(left.hash, of: entry.hash)
                #expect(reader.graph.contains(entry.hash) == !buildsOnIt)
            }
            let isNamed = entries.contains { whole.graph.isPast(left.hash, of: $0.hash) }
            #expect(missing.contains(left.hash) == isNamed)
            try reader.take(entries)
            #expect(entries.allSatisfy { reader.graph.contains($0.hash) })
        }
    }
}
