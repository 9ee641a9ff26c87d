import Testing
import WardLog

/// Devices that change items and their circle beside each other: one seed is one schedule.
private struct ItemSchedule {
    typealias Device = LogFixture.Device

    /// What one revision did to the values of its item.
    struct Deed {
        let entry: [UInt8]
        let item: LogItemID
        var added: Set<Int> = []
        var removed: Set<Int> = []
        var isPurge = false
    }

    static let items = [LogItemID.number(1), .number(2)]

    let seed: UInt64
    let circle: CircleFixture
    private var random: SplitMix
    private var counter = 0
    private var nextDevice: UInt8 = 30
    private(set) var deeds: [Deed] = []
    /// The values that each revision holds.
    private var contents: [[UInt8]: Set<Int>] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix(state: seed)
        circle = try CircleFixture(devices: 2 + Int.random(in: 0..<3, using: &random))
        try circle.meet()
    }

    private mutating func hits(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func run() throws {
        for _ in 0..<Int.random(in: 6...14, using: &random) {
            guard let device = circle.devices.randomElement(using: &random) else { return }
            device.now += Int64.random(in: -40...100, using: &random)
            // What the circle does not allow now, or this device no longer may, is left out.
            do { try step(device) } catch is LogError {}
        }
        // A new device can come in the last round.
        for _ in 0..<2 { try circle.meet() }
    }

    private mutating func step(_ device: Device) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: try edit(device)
        case 45..<68:
            guard let other = circle.devices.randomElement(using: &random), other !== device else { return }
            // In the order in which the other one has them, and not always all.
            try device.take(hits(30) ? Array(other.log.prefix(other.log.count - 1)) : other.log)
        case 68..<73: try purge(device)
        case 73..<80: try remove(device)
        case 80..<84:
            guard let other = circle.devices.randomElement(using: &random), other !== device else { return }
            try circle.remove([other], by: device)
            try circle.remove([device], by: other, recovery: hits(30) ? CircleFixture.paper : nil)
        case 84..<89:
            nextDevice += 1
            try circle.admit(nextDevice, by: device)
        case 89..<95: try circle.write(.rekey(circle.keys(by: device)), by: device)
        default: try circle.replaceHeader(by: device)
        }
    }

    private mutating func remove(_ device: Device) throws {
        guard let other = circle.devices.randomElement(using: &random), other !== device else { return }
        try circle.remove([other], by: device, recovery: hits(30) ? CircleFixture.paper : nil)
    }

    private mutating func edit(_ device: Device) throws {
        let item = hits(70) ? Self.items[0] : Self.items[1]
        let before = values(of: item, in: device.graph) ?? []
        counter += 1
        var after = before.union([counter])
        if hits(30), let victim = before.sorted().randomElement(using: &random) { after.remove(victim) }
        let entry = try device.editInCircle(item, content: UInt8(truncatingIfNeeded: counter)).hash
        contents[entry] = after
        deeds.append(
            Deed(entry: entry, item: item, added: after.subtracting(before), removed: before.subtracting(after))
        )
    }

    private mutating func purge(_ device: Device) throws {
        guard !device.graph.heads(of: Self.items[0]).isEmpty else { return }
        let entry = try device.purge(Self.items[0])
        deeds.append(Deed(entry: entry.hash, item: Self.items[0], isPurge: true))
    }

    /// The values of an item: each change beside others is kept.
    func values(of item: LogItemID, in graph: LogGraph) -> Set<Int>? {
        let merge = RevisionMerge<Set<Int>, Never>(
            empty: [],
            read: { contents[$0.hash] ?? [] },
            join: { base, one, other in
                one.intersection(other).union(one.subtracting(base)).union(other.subtracting(base))
            }
        )
        return graph.state(of: item, merge)
    }

    mutating func shuffled() throws -> Device {
        let reader = try circle.empty()
        try reader.take(circle.devices[0].log.shuffled(using: &random))
        return reader
    }

    /// What is wrong with the end of an item.
    func faults(of item: LogItemID, in graph: LogGraph) -> [String] {
        let end = values(of: item, in: graph) ?? []
        let mine = deeds.filter { $0.item == item && graph.contains($0.entry) }
        let counting = mine.filter { graph.isEffective($0.entry) }
        // What does not count is felt all the same if something that counts was made from it.
        let felt = mine.filter { deed in
            counting.contains { $0.entry == deed.entry || graph.isPast(deed.entry, of: $0.entry) }
        }
        let hasPurge = mine.contains(where: \.isPurge)
        var faults: [String] = []
        for deed in counting {
            for value in deed.added.subtracting(end) {
                let isRemoved = felt.contains { other in
                    (other.isPurge || other.removed.contains(value)) && graph.isPast(deed.entry, of: other.entry)
                }
                if !isRemoved { faults.append("value \(value) is lost") }
            }
            for value in deed.removed.intersection(end) where !hasPurge { faults.append("value \(value) is back") }
        }
        let known = felt.reduce(into: Set<Int>()) { $0.formUnion($1.added) }
        for value in end.subtracting(known) { faults.append("value \(value) is shown and does not count") }
        return faults
    }
}

@Suite struct `Random histories of a circle with items` {
    /// `WARD_CIRCLE_FULL` tries more of them.
    @Test func `come to the same on all devices and in every order, and lose nothing`() throws {
        let seeds: UInt64 = Exploration.isFull ? 100_000 : 10_000
        var (entries, void, frozen, removed, heads) = (0, 0, 0, 0, 0)
        for seed in 1...seeds {
            var schedule = try ItemSchedule(seed: seed)
            try schedule.run()
            let first = schedule.circle[0]
            let hashes = Set(first.log.map(\.hash))
            let others = Array(schedule.circle.devices.dropFirst()) + [try schedule.shuffled()]
            for other in others {
                #expect(Set(other.log.map(\.hash)) == hashes, "seed \(seed)")
                #expect(other.graph.circleState == first.graph.circleState, "seed \(seed)")
                for item in ItemSchedule.items {
                    #expect(
                        schedule.values(of: item, in: other.graph) == schedule.values(of: item, in: first.graph),
                        "seed \(seed)"
                    )
                }
                let differing = first.log.filter {
                    first.graph.isEffective($0.hash) != other.graph.isEffective($0.hash)
                }
                #expect(differing.isEmpty, "seed \(seed)")
            }
            for item in ItemSchedule.items {
                #expect(schedule.faults(of: item, in: first.graph) == [], "seed \(seed)")
                if first.graph.heads(of: item).count > 1 { heads += 1 }
            }
            entries += first.log.count
            void += first.log.count { !first.graph.isEffective($0.hash) }
            if first.graph.circleState?.isFrozen == true { frozen += 1 }
            if first.graph.circleState?.removed.isEmpty == false { removed += 1 }
        }
        print(
            "circle: \(seeds) schedules with items, \(entries) entries, \(void) do not count, \(frozen) frozen, \(removed) with "
                + "removals, \(heads) items merged"
        )
        #expect(void > 0 && frozen > 0 && removed > 0 && heads > 0)
    }
}
