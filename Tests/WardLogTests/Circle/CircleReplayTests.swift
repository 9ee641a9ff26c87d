import Testing
import WardLog

/// What a person sees of a circle, with the devices and entries of the log.
private struct Outcome: Equatable {
    var members: Set<DeviceID>
    var removed: [DeviceID: Set<[UInt8]>]
    var contested: Set<[UInt8]>
    var disputed: Set<DeviceID>
    var dropped: Set<[UInt8]>
    var stopped: Set<DeviceID>
    var owners: Int
    var recovery: Int
    var epoch: UInt64?
    var isClean: Bool
    var minimumReader: UInt64
    var largestEpoch: UInt64
    var largestHeader: UInt64
    var operations: Int

    init(_ state: CircleState, device: (DeviceID) -> DeviceID, entry: ([UInt8]) -> [UInt8]) {
        members = Set(state.members.map(device))
        removed = [:]
        for (one, by) in state.removed { removed[device(one)] = Set(by.map(entry)) }
        contested = Set(state.contested.map(entry))
        disputed = Set(state.disputed.map(device))
        dropped = Set(state.dropped.map(entry))
        stopped = Set(state.stopped.map(device))
        owners = state.owners.count
        recovery = state.recovery.count
        epoch = state.key?.epoch
        isClean = state.isClean
        minimumReader = state.minimumReader
        largestEpoch = state.largestEpoch
        largestHeader = state.largestHeader
        operations = state.operations
    }
}

@Suite struct `Histories of a circle as logs` {
    /// One seed is one history; `WARD_CIRCLE_FULL` tries more of them.
    @Test func `come to what the model says, in every order`() throws {
        let seeds: UInt64 = Exploration.isFull ? 20_000 : 200
        var (entries, refused, frozen, removed, forked) = (0, 0, 0, 0, 0)
        for seed in 1...seeds {
            var random = RandomCircle<StandardCircleRules>(seed: seed)
            random.beginsAlone = true
            var replay = try CircleReplay(random.history)
            for _ in 0..<random.length() * 2 {
                var next = random
                guard next.grow() else {
                    random.skip()
                    continue
                }
                guard let isTaken = try replay.write(next.history) else {
                    random.skip()
                    continue
                }
                #expect(isTaken == Self.mayBeTaken(next.history), "seed \(seed): \(describe(next.history))")
                if isTaken { random = next } else { random.skip() }
            }
            let history = random.history
            entries += history.count
            refused += replay.refused
            forked += random.forks ? 1 : 0
            Self.compare(history, replay, seed)
            if history.state.isFrozen { frozen += 1 }
            if !history.state.removed.isEmpty { removed += 1 }
            try Self.shuffle(replay, &random, seed)
        }
        print(
            "circle: \(seeds) logs, \(entries) entries, \(refused) refused, \(frozen) frozen, \(removed) with removals"
        )
        #expect(refused > 0 && frozen > 0 && removed > 0 && forked > 0)
    }

    /// Whether a log takes the last entry: its device is a member by what the entry knows, or a recovery key admits it.
    private static func mayBeTaken(_ history: CircleReplay.History) -> Bool {
        let entry = history.entries[history.count - 1]
        if case .recover = entry.operation { return history.circle.stands(entry.hash) }
        var circle = history.circle
        let before = circle.state(knowing: entry.names)
        return before.members.contains(entry.device) || before.disputed.contains(entry.device)
    }

    private static func compare(_ history: CircleReplay.History, _ replay: CircleReplay, _ seed: UInt64) {
        guard let state = replay.graph.circleState else {
            Issue.record("seed \(seed): no circle")
            return
        }
        var places: [[UInt8]: Int] = [:]
        for (place, entry) in history.entries.enumerated() { places[entry.hash] = place }
        let expected = Outcome(
            history.state,
            device: CircleReplay.id,
            entry: { hash in places[hash].map { replay.entries[$0].hash } ?? [] }
        )
        let found = Outcome(state, device: { $0 }, entry: { $0 })
        #expect(found == expected, "seed \(seed): \(describe(history))")
        for place in 1..<history.count {
            let device = history.entries[place].device
            guard history.state.mayWrite(device) || history.state.removed[device] != nil,
                replay.graph.voidSequence(of: CircleReplay.id(device)) == nil
            else { continue }
            let isEffective = replay.graph.isEffective(replay.entries[place].hash)
            #expect(isEffective == history.counts(place), "seed \(seed), entry \(place): \(describe(history))")
            #expect(
                replay.graph.stands(replay.entries[place].hash) == history.circle.stands(history.entries[place].hash)
            )
        }
    }

    private static func shuffle(
        _ replay: CircleReplay,
        _ random: inout RandomCircle<StandardCircleRules>,
        _ seed: UInt64
    ) throws {
        var waiting = replay.fixture[0].log + replay.entries
        random.shuffle(&waiting)
        var graph = LogGraph(replay.graph.vault, .keyedHash, circle: replay.entries[0].hash)
        while !waiting.isEmpty {
            let before = waiting.count
            waiting = try waiting.filter { if case .waits = try graph.take($0) { true } else { false } }
            guard waiting.count < before else { break }
        }
        #expect(waiting.isEmpty && graph.circleState == replay.graph.circleState, "seed \(seed)")
        for entry in replay.entries {
            #expect(graph.isEffective(entry.hash) == replay.graph.isEffective(entry.hash), "seed \(seed)")
        }
    }
}
