/// The circle of devices that write a vault, computed from the entries of its log.
///
/// It holds no keys and checks no signatures: the caller checks them, and an entry says who signed it. Every decision about an
/// entry depends on the entry's past, and every decision about a set of entries on that set. A decision asks only for decisions
/// about smaller sets, so there is exactly one result.
///
/// `Documentation/formats/sync.md`, "Who is in the circle".
package struct Circle<Rules: CircleRules>: Sendable {
    /// The result of taking an entry.
    package enum Outcome: Hashable, Sendable {
        case taken
        /// The entry was there before.
        case known
        /// The entry names entries that are missing.
        case waits([[UInt8]])
    }

    let rules = Rules()
    /// The hash of the entry that begins the circle.
    let root: [UInt8]
    var nodes: [CircleNode] = []
    var places: [[UInt8]: Int] = [:]
    var slots: [DeviceID: Int] = [:]
    var devices: [DeviceID] = []
    /// The entries of each device, in order of arrival.
    var chains: [[Int]] = []
    /// The same entries as a set.
    var written: [Bits] = []
    private var everything = Bits()
    /// The operations that stand.
    var standing = Bits()
    /// The unknown operations.
    var unknown = Bits()
    /// The devices that may be stopped: they signed entries which do not know each other, or an unknown operation.
    var suspects: Set<Int> = []
    /// Removals of which one hits the other: who saw them decides between them.
    var asking = Bits()
    /// For each operation that stands, the entry itself and those that know it.
    var knowing: [Int: Bits] = [:]
    /// The devices that were ever admitted, and the members, after each set of entries that was asked for.
    var admittedInPast: [Bits: (all: Set<DeviceID>, members: Set<DeviceID>)] = [:]
    /// The operations that stand and take others away.
    var reaching: [Int] = []
    /// For each removal, the operations that rest on something which it hits, with what it hits.
    var hits: [Int: [Int: Bits]] = [:]
    /// The operations that each replacement of recovery keys reaches alone.
    var replaced: [Int: Bits] = [:]
    /// Who may speak about a removal and an operation.
    var hearings: [CirclePair: CircleHearing] = [:]
    /// How much was computed.
    package internal(set) var work = CircleWork()
    /// The last set of entries that was asked for, and the answer.
    private var last: (set: Bits, CircleEvaluation)?
    /// Earlier answers, by the entries on which they depend.
    private var evaluations: [Bits: CircleEvaluation] = [:]
    /// Those that were in ``evaluations`` before it was full the last time.
    private var earlierEvaluations: [Bits: CircleEvaluation] = [:]
    /// How many of them are kept.
    ///
    /// Entries of devices that know different operations come in turn.
    private static var keptEvaluations: Int { 32 }

    /// Starts without an entry.
    ///
    /// `root` is the hash of the entry that begins the circle. A device knows it from where it joined, never from a server.
    package init(root: [UInt8], rules: Rules.Type = Rules.self) { self.root = root }

    package var count: Int { nodes.count }

    /// Whether an operation that stands could take another one away: a removal, or new recovery keys.
    var canTakeAway: Bool { !reaching.isEmpty }

    /// Takes an entry, if everything that it names is there.
    ///
    /// An entry that nobody was allowed to write is taken too: it does nothing, but other entries may name it.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isNamed: Whether an entry of another device names it. Such an entry is needed, however many its device wrote.
    ///   - isStopped: Whether its device is stopped by entries that the caller did not offer. Entries that only change items are not
    ///     offered, and two of them may be beside each other.
    /// - Returns: Whether the entry was added.
    /// - Throws: ``CircleLimitError``; the circle does not change then.
    @discardableResult
    package mutating func take(
        _ entry: CircleEntry,
        isNamed: Bool = false,
        isStopped: Bool = false
    ) throws(CircleLimitError) -> Outcome {
        guard places[entry.hash] == nil else { return .known }
        try entry.checkLimits()
        let missing = entry.names.filter { places[$0] == nil }
        guard missing.isEmpty else { return .waits(missing) }
        let count = slots[entry.device].map { chains[$0].count } ?? 0
        if !isNamed { try CircleLimitError.check(.entriesOfDevice, count + 1, CircleLimits.entriesOfDevice) }
        let past = past(of: entry.names)
        let isStatement = entry.operation == .other || entry.operation == .unknown
        let before = isStatement ? CircleEvaluation() : known(past)
        let author = slot(of: entry.device)
        let limit = limit(of: entry, after: before.state)
        let stands = limit == nil && stands(entry, before.state, isStopped: isStopped)
        // Nobody asks on what an entry rests that does not stand. There can be many of them.
        let admissions = stands ? before.admissions[entry.device] ?? [] : []
        var basis = admissions.reduce(into: Bits()) { $0.formUnion(nodes[$1].basis) }
        if stands { basis.insert(nodes.count) }
        let isBeside = chains[author].last.map { !past.contains($0) } ?? false
        let knowsFork = isForked(author, in: past)
        nodes.append(
            CircleNode(
                entry: entry,
                author: author,
                past: past,
                stands: stands,
                admissions: admissions,
                basis: basis,
                closes: stands && entry.operation.answers && rules.answersCloseDisputes ? before.contested : [],
                recipients: stands ? recipients(of: entry.operation, before.state) : [],
                replaces: stands ? replaced(by: entry.operation, before.state) : [],
                members: stands ? before.state.members : [],
                isSignedByRecovery: !signers(of: entry).isDisjoint(with: before.state.recovery),
                knowsFork: knowsFork,
                limit: limit
            )
        )
        add(nodes.count - 1, isSuspect: isBeside || entry.operation == .unknown)
        return .taken
    }

    /// Notes an entry that was taken.
    private mutating func add(_ new: Int, isSuspect: Bool) {
        let node = nodes[new]
        places[node.entry.hash] = new
        chains[node.author].append(new)
        written[node.author].insert(new)
        everything.insert(new)
        if isSuspect { suspects.insert(node.author) }
        if node.entry.operation == .unknown { unknown.insert(new) }
        if node.stands {
            standing.insert(new)
            knowing[new] = Bits()
        }
        work.steps += knowing.count
        for place in knowing.keys where place == new || node.past.contains(place) { knowing[place]?.insert(new) }
        if node.stands { findReach(of: new) }
    }

    /// The circle after all entries.
    package mutating func state() -> CircleState {
        let set = everything
        return known(set).state
    }

    /// The circle as a device sees it that has these entries and everything that they build on.
    package mutating func state(knowing names: [[UInt8]]) -> CircleState { known(past(of: names)).state }

    /// The circle after a set of entries that contains the past of each of its entries.
    mutating func state(after set: Bits) -> CircleState { known(set).state }

    /// The entries of such a set that are in the past of no other entry of it.
    func newest(in set: Bits) -> [[UInt8]] {
        var (rest, found) = (set, [[UInt8]]())
        // A later entry is never in the past of an earlier one.
        while let last = rest.last {
            found.append(nodes[last].entry.hash)
            rest.subtract(nodes[last].past)
            rest.remove(last)
        }
        return found
    }

    /// Whether an entry would stand that knows this circle.
    ///
    /// It does not if its device is stopped by entries that the circle does not have.
    func wouldStand(_ entry: CircleEntry, after before: CircleState, isStopped: Bool = false) -> Bool {
        limit(of: entry, after: before) == nil && stands(entry, before, isStopped: isStopped)
    }

    private mutating func known(_ set: Bits) -> CircleEvaluation {
        if let last, last.set == set { return last.1 }
        let evaluation = evaluation(of: set)
        last = (set, evaluation)
        return evaluation
    }

    /// The circle after a set of entries, computed only if nothing is known on which it depends.
    ///
    /// An entry that does not stand decides something only between two removals, or stops its own device. Most entries do neither.
    private mutating func evaluation(of set: Bits) -> CircleEvaluation {
        var deciding = set
        if !asking.contains(anyOf: set, and: set, butNotOf: Bits()) { deciding.formIntersection(standing) }
        if var known = evaluations[deciding] ?? earlierEvaluations[deciding] {
            known.state.stopped = []
            findStopped(set, &known)
            return known
        }
        let found = evaluate(set)
        // What is asked for again and again must stay, however many others are asked for once.
        if evaluations.count >= Self.keptEvaluations { (earlierEvaluations, evaluations) = (evaluations, [:]) }
        evaluations[deciding] = found
        return found
    }

    /// Whether an entry counts.
    ///
    /// An entry of a removed device counts if every removal of the device knew it, or is the entry itself.
    package mutating func counts(_ hash: [UInt8]) -> Bool {
        guard let place = places[hash] else { return false }
        let removals = (state().removed[nodes[place].entry.device] ?? []).compactMap { places[$0] }
        return rules.counts(knownTo: removals.map { $0 == place || nodes[$0].past.contains(place) })
    }

    /// Whether a device was allowed to write an operation, by what it knew.
    package func stands(_ hash: [UInt8]) -> Bool { places[hash].map { nodes[$0].stands } ?? false }

    /// The limit that keeps an operation from standing, if one does.
    package func limit(_ hash: [UInt8]) -> CircleLimitError? { places[hash].flatMap { nodes[$0].limit } }

    private func limit(of entry: CircleEntry, after before: CircleState) -> CircleLimitError? {
        do { try entry.checkLimits(after: before) } catch { return error }
        return nil
    }

    private func past(of names: [[UInt8]]) -> Bits {
        names.compactMap { places[$0] }.reduce(into: Bits()) { past, place in
            past.formUnion(nodes[place].past)
            past.insert(place)
        }
    }

    private mutating func slot(of device: DeviceID) -> Int {
        if let slot = slots[device] { return slot }
        slots[device] = devices.count
        devices.append(device)
        chains.append([])
        written.append(Bits())
        return devices.count - 1
    }

    func signers(of entry: CircleEntry) -> Set<CircleKey> {
        Set(entry.approvals.filter { rules.approves($0, entry) }.map(\.key))
    }

    private func recipients(of operation: CircleOperation, _ before: CircleState) -> Set<DeviceID> {
        if let recipients = operation.keys?.recipients { return recipients }
        if case .begin(let members, _, _) = operation { return members }
        return operation.keys == nil ? [] : before.members.subtracting(operation.targets)
    }

    private func replaced(by operation: CircleOperation, _ before: CircleState) -> Set<CircleKey> {
        guard case .recovery(let keys, _) = operation else { return [] }
        return before.recovery.subtracting(keys)
    }
}
