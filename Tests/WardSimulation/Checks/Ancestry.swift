import WardLog

/// What each entry of a log builds on, told from the entries alone.
///
/// It says the same as `LogGraph`, in the plainest way that there is, so that a check does not rest on what it checks.
struct Ancestry {
    private var places: [[UInt8]: Int] = [:]
    private var pasts: [Set<Int>] = []
    private(set) var entries: [SignedEntry] = []

    /// Takes entries in any order; those that name something that is not there are left out.
    init(_ entries: [SignedEntry]) {
        var rest = entries
        while true {
            let before = rest.count
            rest = rest.filter { !add($0) }
            guard rest.count < before else { return }
        }
    }

    private mutating func add(_ signed: SignedEntry) -> Bool {
        guard places[signed.hash] == nil else { return true }
        var past: Set<Int> = []
        for name in (signed.entry.previous.map { [$0] } ?? []) + signed.entry.seen.map(\.hash) {
            guard let place = places[name] else { return false }
            past.formUnion(pasts[place])
            past.insert(place)
        }
        places[signed.hash] = entries.count
        entries.append(signed)
        pasts.append(past)
        return true
    }

    func has(_ hash: [UInt8]) -> Bool { places[hash] != nil }

    /// Whether an entry lies in the past of another.
    func isPast(_ hash: [UInt8], of other: [UInt8]) -> Bool {
        guard let one = places[hash], let two = places[other] else { return false }
        return pasts[two].contains(one)
    }
}
