import Testing
import WardLog

@Suite struct `Random histories of a circle` {
    private typealias Counts = CircleExplorer<StandardCircleRules>.Counts

    /// One seed is one history; `WARD_CIRCLE_FULL` tries more of them.
    @Test func `have one result in every order, and nobody is out whom nobody removed`() {
        let seeds: UInt64 = Exploration.isFull ? 100_000 : 10_000
        var (counts, entries) = (Counts(), 0)
        for seed in 1...seeds {
            let before = counts.faults
            entries += Self.visit(seed, &counts)
            for (name, count) in counts.faults where before[name] == nil {
                print("circle: the first seed with the fault \"\(name)\" is \(seed), \(count) times")
            }
        }
        print("circle: \(seeds) random histories, \(entries) entries: \(counts.summary)")
        #expect(counts.faults == [:], "\(counts.examples)")
        #expect(counts.frozen > 0 && counts.disputes > 0 && counts.rules > 0 && counts.finals > 0)
    }

    /// Each was the first history with a fault, of the rules or of the check.
    @Test(arguments: [4_949, 7_766, 26_008, 33_882, 47_710] as [UInt64])
    func `have no fault where they had one`(seed: UInt64) {
        var counts = Counts()
        _ = Self.visit(seed, &counts)
        #expect(counts.faults == [:], "\(counts.examples)")
    }

    private static func visit(_ seed: UInt64, _ counts: inout Counts) -> Int {
        var random = RandomCircle<StandardCircleRules>(seed: seed)
        var found = Counts()
        for _ in 0..<random.length() {
            let before = random.history
            for _ in 0..<4 where random.grow() {
                if !random.forks { CircleInvariants.checkFinality(before, random.history, &found) }
                break
            }
        }
        let history = random.history
        found.histories = 1
        CircleInvariants.check(history, &found)
        let value = history.circle.value()
        var circle = random.shuffled()
        found.orders += 1
        if circle.state() != history.state || circle.value() != value { found.fault("order", describe(history)) }
        for (name, example) in found.examples { found.examples[name] = "seed \(seed): \(example)" }
        counts.add(found)
        return history.count
    }
}
