import WardLog

/// Numbers from a seed, the same on every machine.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    mutating func isTrue(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// A history that one seed writes: larger than those that the exploration can visit.
struct RandomCircle<Rules: CircleRules> {
    private(set) var history: CircleHistory<Rules>
    /// Whether a device may write two entries that do not know each other.
    let forks: Bool
    /// Whether an admitted device first writes an entry that knows its admission alone, as in a log.
    var beginsAlone = false
    private var numbers: SeededNumbers
    private let devices: Int
    /// How much a device has seen of what others wrote, in percent.
    private let delivered: Int

    /// Begins a history.
    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        let first = Int.random(in: 3...8, using: &numbers)
        history = CircleHistory(devices: first)
        devices = first + Int.random(in: 0...3, using: &numbers)
        forks = numbers.isTrue(30)
        delivered = [0, 10, 30, 70].randomElement(using: &numbers) ?? 30
    }

    /// The number of entries that the history gets.
    mutating func length() -> Int { Int.random(in: numbers.isTrue(80) ? 4...9 : 10...20, using: &numbers) }

    /// Writes one more entry, and says whether it did.
    mutating func grow() -> Bool {
        let author = Int.random(in: 0..<devices, using: &numbers)
        let hasBegun = history.steps.contains { $0.author == author }
        var bases = history.minimalViews(of: author)
        let begins = bases.isEmpty && numbers.isTrue(30) && !hasBegun
        if begins { bases = [1] }
        if forks, hasBegun, numbers.isTrue(15) {
            bases = history.steps.indices.filter { history.steps[$0].author == author }.map { history.pasts[$0] | 1 }
        }
        guard var view = bases.randomElement(using: &numbers) else { return false }
        let isFirst = beginsAlone && !hasBegun && !begins && author >= history.first
        if !isFirst {
            for place in 1..<max(1, history.count) where numbers.isTrue(delivered) {
                view |= history.pasts[place] | 1 << UInt32(place)
            }
        }
        let kind: CircleHistory<Rules>.Kind = isFirst ? .other : begins ? .recover(1) : kind(author)
        let step = CircleHistory<Rules>.Step(author: author, view: view, kind: kind)
        guard !history.steps.contains(step) else { return false }
        let entry = history.draft(step)
        guard !history.entries.contains(where: { $0.hash == entry.hash }) else { return false }
        let isStatement = step.kind == .other || step.kind == .unknown
        // Some entries are those that nobody may write.
        guard isStatement || numbers.isTrue(10) || history.mayWrite(entry) else { return false }
        history.add(step, entry)
        return true
    }

    private mutating func kind(_ author: Int) -> CircleHistory<Rules>.Kind {
        let chance = Int.random(in: 0..<100, using: &numbers)
        // A small group quarrels more often than all.
        let other = Int.random(in: 0..<(numbers.isTrue(50) ? 3 : devices), using: &numbers)
        switch chance {
        case 0..<20: return .other
        case 20..<55: return .remove(1 << UInt32(other))
        case 55..<60: return .remove(1 << UInt32(other) | 1 << UInt32((other + 1) % devices))
        case 60..<72: return .removeWithRecoveryKey(1 << UInt32(other))
        case 72..<80: return .admit(numbers.isTrue(90) && devices > history.first ? devices - 1 : other)
        case 80..<86: return .rekey
        case 86..<90: return .header
        case 90..<94: return .recovery
        case 94..<97: return .rules
        case 97..<98: return .place
        default: return .unknown
        }
    }

    /// Goes on with other numbers.
    mutating func skip() { _ = numbers.next() }

    mutating func shuffle<Element>(_ elements: inout [Element]) { elements.shuffle(using: &numbers) }

    /// A circle that the entries reach in any order; those that come too early are offered again.
    mutating func shuffled() -> Circle<Rules> {
        var circle = Circle<Rules>(root: history.entries[0].hash)
        var waiting = history.entries
        while !waiting.isEmpty {
            waiting.shuffle(using: &numbers)
            let before = waiting.count
            waiting.removeAll { circle.accept($0) == .taken }
            if waiting.count == before { break }
        }
        return circle
    }
}
