import WardLog

/// All histories of a circle up to a number of entries, and what must be true of each.
///
/// A history is a set of entries with what each of them knew. The server is in it: it decides what a device has seen when it
/// writes, and it may withhold anything. So every set that is closed under "builds on" is what some device may have, and is itself
/// a history that is visited.
struct CircleExplorer<Rules: CircleRules> {
    /// Which histories there are.
    struct Scope {
        var devices = 3
        /// Devices that may be admitted or begin by a recovery key.
        var newcomers = 0
        /// Entries after the one that begins the circle.
        var depth: Int
        /// Whether a removal may have several targets.
        var removesSeveral = true
        var kinds: Set<String> = ["remove"]
        /// Whether a device may write two entries that do not know each other.
        var forks = false
        /// Up to how many entries every order of arrival is tried.
        var ordersUpTo = 4
    }

    struct Counts {
        var histories = 0
        var orders = 0
        var subsets = 0
        /// Values that were compared with that of the set, and entries that arrived last or too early.
        var values = 0
        var last = 0
        var waiting = 0
        var frozen = 0
        var finals = 0
        var disputes = 0
        var answers = 0
        var stuck = 0
        /// Operations 12 that stand, and questions that a signature of a recovery key decides.
        var rules = 0
        var signatures = 0
        var byDepth: [Int] = []
        var faults: [String: Int] = [:]
        var examples: [String: String] = [:]

        var summary: String {
            """
            \(histories) histories (\(byDepth.map(String.init).joined(separator: ", ")) by entries), \(orders) orders, \
            \(subsets) subsets of them, \(values) values, \(last) others last, \(waiting) too early, \(frozen) frozen (\(stuck) of them for a recovery key), \(answers) answers tried, \
            \(disputes) entries beside a removal, \(finals) known removals tried, \
            \(rules) operations 12, \(signatures) questions that a signature decides
            """
        }

        mutating func add(_ other: Self) {
            histories += other.histories
            orders += other.orders
            frozen += other.frozen
            finals += other.finals
            disputes += other.disputes
            answers += other.answers
            stuck += other.stuck
            rules += other.rules
            signatures += other.signatures
            faults.merge(other.faults) { $0 + $1 }
            examples.merge(other.examples) { first, _ in first }
        }

        mutating func fault(_ name: String, _ example: @autoclosure () -> String) {
            faults[name, default: 0] += 1
            if examples[name] == nil { examples[name] = example() }
        }
    }

    let scope: Scope
    private(set) var counts = Counts()
    /// A further check of each history.
    var check: (CircleHistory<Rules>, inout Counts) -> Void = { _, _ in }

    /// Whether the invariants are checked, and orders of arrival tried.
    var checksRules = true

    init(_ scope: Scope) { self.scope = scope }

    mutating func run() {
        counts.byDepth = [Int](repeating: 0, count: scope.depth + 1)
        visit(CircleHistory(devices: scope.devices), depth: 0)
    }

    private mutating func visit(_ history: CircleHistory<Rules>, depth: Int) {
        counts.histories += 1
        counts.byDepth[depth] += 1
        check(history, &counts)
        if checksRules {
            CircleInvariants.check(history, &counts)
            checkOrders(history, depth: depth)
        }
        guard depth < scope.depth else { return }
        for grown in next(history) {
            if checksRules, !scope.forks { CircleInvariants.checkFinality(history, grown, &counts) }
            visit(grown, depth: depth + 1)
        }
    }

    // MARK: - Generating

    private func next(_ history: CircleHistory<Rules>) -> [CircleHistory<Rules>] {
        var found: [CircleHistory<Rules>] = []
        var seen: Set<CircleHistory<Rules>.Step> = []
        for author in 0..<(scope.devices + scope.newcomers) {
            for view in views(history, author) where isNormal(history, author, view.set) {
                for kind in kinds(history, author, view.set, isNew: view.isNew) {
                    let step = CircleHistory<Rules>.Step(author: author, view: view.set, kind: kind)
                    guard seen.insert(step).inserted, !isTwin(history, step) else { continue }
                    var grown = history
                    let entry = grown.draft(step)
                    // What nobody may write is an entry that does nothing, which is there already.
                    guard kind == .other || kind == .unknown || grown.mayWrite(entry) else { continue }
                    grown.add(step, entry)
                    found.append(grown)
                }
            }
        }
        return found
    }

    /// What a device may know when it writes: any closed set that contains what it knew before.
    private func views(_ history: CircleHistory<Rules>, _ author: Int) -> [(set: UInt32, isNew: Bool)] {
        var minimal = history.minimalViews(of: author)
        if scope.forks {
            let own = history.steps.indices.filter { history.steps[$0].author == author && $0 > 0 }
            minimal += own.map { history.pasts[$0] }
        }
        if author >= scope.devices, scope.kinds.contains("recover"), history.steps.allSatisfy({ $0.author != author }) {
            minimal.append(1)
        }
        var found: [(UInt32, Bool)] = []
        for set in 0..<(UInt32(1) << UInt32(history.count)) where set & 1 == 1 {
            guard let base = minimal.first(where: { $0 & ~set == 0 }) else { continue }
            let isClosed = (0..<history.count).allSatisfy {
                set & 1 << UInt32($0) == 0 || history.pasts[$0] & ~set == 0
            }
            if isClosed { found.append((set, set != base)) }
        }
        return found
    }

    /// Each set of entries is built once: of neighbours that do not know each other, the smaller author goes first.
    private func isNormal(_ history: CircleHistory<Rules>, _ author: Int, _ view: UInt32) -> Bool {
        for place in (1..<max(1, history.count)).reversed() {
            if view & 1 << UInt32(place) != 0 { return true }
            if history.steps[place].author > author { return false }
        }
        return true
    }

    /// A second entry of a device that is the same as one that it does not know.
    private func isTwin(_ history: CircleHistory<Rules>, _ step: CircleHistory<Rules>.Step) -> Bool {
        history.steps.contains { $0 == step }
    }

    private func kinds(
        _ history: CircleHistory<Rules>,
        _ author: Int,
        _ view: UInt32,
        isNew: Bool
    ) -> [CircleHistory<Rules>.Kind] {
        var found: [CircleHistory<Rules>.Kind] = []
        let known = (0..<(scope.devices + scope.newcomers)).filter { device in
            device < scope.devices
                || history.steps.indices.contains { place in
                    view & 1 << UInt32(place) != 0
                        && (history.steps[place].kind == .admit(device) || history.steps[place].author == device)
                }
        }
        let isFirst = history.steps.allSatisfy { $0.author != author }
        if author >= scope.devices, isFirst, !known.contains(author) {
            return scope.kinds.contains("recover") ? [.recover(1)] : []
        }
        if isNew || scope.forks { found.append(.other) }
        if scope.kinds.contains("unknown") { found.append(.unknown) }
        if scope.kinds.contains("remove") {
            let others = known.filter { $0 != author }
            for device in others { found.append(.remove(1 << UInt32(device))) }
            if scope.kinds.contains("sign") {
                for device in others { found.append(.removeWithRecoveryKey(1 << UInt32(device))) }
            }
            if scope.removesSeveral {
                for (index, one) in others.enumerated() {
                    for other in others[(index + 1)...] { found.append(.remove(1 << UInt32(one) | 1 << UInt32(other))) }
                }
            }
        }
        if scope.kinds.contains("leave") { found.append(.remove(1 << UInt32(author))) }
        if scope.kinds.contains("admit"), let device = unusedNewcomer(history) { found.append(.admit(device)) }
        for (name, kind) in [("rekey", .rekey), ("header", .header), ("recovery", .recovery), ("rules", .rules)]
            as [(String, CircleHistory<Rules>.Kind)] where scope.kinds.contains(name)
        {
            found.append(kind)
        }
        return found
    }

    private func unusedNewcomer(_ history: CircleHistory<Rules>) -> Int? {
        (scope.devices..<(scope.devices + scope.newcomers)).first { device in
            history.steps.allSatisfy { $0.kind != .admit(device) && $0.author != device }
        }
    }

    // MARK: - Orders

    /// The order of arrival does not matter, by induction over the number of entries.
    ///
    /// An order of arrival of a set ends with an entry that no other one knows. Before it, the rest of the set arrived in some order.
    /// The rest is a smaller set with everything that it builds on, so it is a history that was visited too, and has one value by
    /// the induction. So it is enough that the value is the same whichever of those entries arrives last: the value of the rest, in
    /// the one order that was taken for it, and then the entry. That is checked for each set of any size. Up to a number of
    /// entries, every order is tried as well.
    ///
    /// The value is everything that taking an entry depends on. It is compared with the value of a circle that takes the
    /// entries from the beginning and has kept no answers.
    private mutating func checkOrders(_ history: CircleHistory<Rules>, depth: Int) {
        guard depth > 0 else { return }
        var all: UInt32 = 0
        for place in 0..<history.count { all |= 1 << UInt32(place) }
        let value = history.circle.value()
        var fresh = Circle<Rules>(root: history.entries[0].hash)
        for entry in history.entries { fresh.accept(entry) }
        counts.values += 1
        let isSame = fresh.value() == value && fresh.state() == history.state
        if !isSame { counts.fault("value of the set", describe(history)) }
        if fresh.work.deepest > 2 { counts.fault("deep", describe(history)) }
        for last in 1..<history.count where !history.pasts.contains(where: { $0 & 1 << UInt32(last) != 0 }) {
            guard last != history.count - 1 else { continue }
            var circle = history.circles[last]
            for place in (last + 1)..<history.count { circle.accept(history.entries[place]) }
            circle.accept(history.entries[last])
            counts.last += 1
            if circle.state() != history.state || circle.value() != value { counts.fault("order", describe(history)) }
        }
        checkWaiting(history)
        guard depth > 1, depth <= scope.ordersUpTo else { return }
        var states: [UInt32: CircleState] = [:]
        arrive(Circle<Rules>(root: history.entries[0].hash), 0, all, history, &states)
        counts.subsets += states.count
    }

    /// An entry that arrives before one that it names waits, and changes nothing.
    private mutating func checkWaiting(_ history: CircleHistory<Rules>) {
        guard let last = history.entries.last, let early = history.circles.last else { return }
        for name in last.names {
            guard let place = history.entries.firstIndex(where: { $0.hash == name }) else { continue }
            var circle = history.circles[place]
            let before = circle.value()
            let missing = last.names.filter { name in !history.entries[..<place].contains { $0.hash == name } }
            counts.waiting += 1
            if circle.accept(last) != .waits(missing) || circle.value() != before {
                counts.fault("an entry before its past", describe(history))
            }
        }
        guard last.names.contains(history.entries[history.count - 2].hash) else { return }
        // Everything arrives in the opposite order, again and again, until nothing waits.
        var (circle, waiting) = (Circle<Rules>(root: history.entries[0].hash), history.entries)
        while !waiting.isEmpty {
            let rest = waiting.reversed().filter { circle.accept($0) != .taken }
            guard rest.count < waiting.count else { return counts.fault("never taken", describe(history)) }
            waiting = rest.reversed()
        }
        if circle.state() != history.state || early.count != history.count - 1 {
            counts.fault("opposite order", describe(history))
        }
    }

    private mutating func arrive(
        _ arrived: Circle<Rules>,
        _ set: UInt32,
        _ all: UInt32,
        _ history: CircleHistory<Rules>,
        _ states: inout [UInt32: CircleState]
    ) {
        var circle = arrived
        let now = circle.state()
        if let state = states[set] {
            if state != now { counts.fault("order", describe(history)) }
        } else {
            states[set] = now
        }
        guard set != all else {
            counts.orders += 1
            return
        }
        for place in 0..<history.count where set & 1 << UInt32(place) == 0 && history.pasts[place] & ~set == 0 {
            var next = circle
            next.accept(history.entries[place])
            arrive(next, set | 1 << UInt32(place), all, history, &states)
        }
    }
}

/// One line for each entry.
func describe<Rules>(_ history: CircleHistory<Rules>) -> String {
    let lines = history.steps.indices.dropFirst().map { place in
        let step = history.steps[place]
        let known = (1..<history.count).filter { step.view & 1 << UInt32($0) != 0 }
        return "\(place): \(Character(UnicodeScalar(UInt8(65 + step.author)))) \(step.kind) knowing \(known)"
    }
    return lines.joined(separator: "; ") + " -> members \(history.members), contested \(history.state.contested.count)"
}
