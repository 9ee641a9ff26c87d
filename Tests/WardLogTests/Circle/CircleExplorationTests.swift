import Testing
import WardLog

/// How far the explorations go.
enum Exploration {
    /// Set `WARD_CIRCLE_FULL` to visit everything that `Documentation/formats/sync.md` names; it takes minutes in a release build.
    static let isFull = ProcessEnvironment.has("WARD_CIRCLE_FULL")
}

/// What an exploration visits.
struct ExplorationCase: Sendable, CustomTestStringConvertible {
    typealias Scope = CircleExplorer<StandardCircleRules>.Scope

    let testDescription: String
    let scope: Scope

    /// A short form, and the full one.
    private static func scope(_ short: Int, _ full: Int, _ orders: Int, _ change: (inout Scope) -> Void) -> Scope {
        var scope = Scope(depth: Exploration.isFull ? full : short)
        scope.ordersUpTo = Exploration.isFull ? orders : 3
        change(&scope)
        return scope
    }

    static let all = [
        Self(testDescription: "three devices, removals of one or two", scope: scope(4, 7, 5) { _ in }),
        Self(
            testDescription: "two devices and two newcomers, admissions and removals",
            scope: scope(3, 5, 4) {
                ($0.devices, $0.newcomers, $0.removesSeveral, $0.kinds) = (2, 2, false, ["remove", "admit"])
            }
        ),
        Self(
            testDescription: "three devices and a newcomer, everything",
            scope: scope(2, 3, 3) {
                $0.newcomers = 1
                $0.kinds = ["remove", "leave", "admit", "rekey", "header", "recovery", "recover", "unknown"]
            }
        ),
        Self(
            testDescription: "two devices and a recovery key",
            scope: scope(3, 5, 4) {
                ($0.devices, $0.newcomers, $0.removesSeveral) = (2, 1, false)
                $0.kinds = ["remove", "recovery", "recover", "rekey"]
            }
        ),
        Self(
            testDescription: "two devices, signatures of a recovery key, and rules",
            scope: scope(3, 5, 4) {
                ($0.devices, $0.removesSeveral, $0.kinds) = (2, false, ["remove", "sign", "rules"])
            }
        ),
        Self(
            testDescription: "three devices, signatures of a recovery key, and rules",
            scope: scope(2, 4, 4) { ($0.removesSeveral, $0.kinds) = (false, ["remove", "sign", "rules"]) }
        ),
        Self(
            testDescription: "three devices that sign twice",
            scope: scope(3, 4, 4) { ($0.forks, $0.removesSeveral) = (true, false) }
        ),
    ]
}

@Suite struct `Every history of a circle` {
    /// The server delivers in any order and withholds anything; removed devices go on with every key that they ever had.
    @Test(arguments: ExplorationCase.all)
    func `has one result in every order, and nobody is out whom nobody removed`(exploration: ExplorationCase) {
        var explorer = CircleExplorer<StandardCircleRules>(exploration.scope)
        explorer.run()
        print("circle: \(exploration.testDescription): \(explorer.counts.summary)")
        #expect(explorer.counts.faults == [:], "\(explorer.counts.examples)")
        #expect(explorer.counts.frozen > 0 && explorer.counts.disputes > 0)
    }

    /// With the old rule there are histories with several results, and the new rules ask about them or decide them.
    @Test func `has several results with the rule that was tried first`() {
        var scope = CircleExplorer<StandardCircleRules>.Scope(depth: 4)
        (scope.devices, scope.newcomers, scope.removesSeveral) = (2, 2, false)
        scope.kinds = ["remove", "admit"]
        var explorer = CircleExplorer<StandardCircleRules>(scope)
        explorer.checksRules = false
        explorer.check = { history, counts in
            let fixpoints = OldCircleRule(history).fixpoints()
            if fixpoints.count > 1 { counts.fault("several results", describe(history)) }
            if fixpoints.isEmpty { counts.fault("no result", describe(history)) }
            if OldCircleRule(history).members().isEmpty {
                counts.fault("nobody is left by the old rule", describe(history))
            }
        }
        explorer.run()
        let faults = explorer.counts.faults
        print("circle: the old rule: \(explorer.counts.histories) histories, \(faults.sorted { $0.key < $1.key })")
        print("circle: the old rule, smallest: \(explorer.counts.examples["several results"] ?? "none")")
        #expect((faults["several results"] ?? 0) > 0 && (faults["nobody is left by the old rule"] ?? 0) > 0)
    }

    /// The history that showed it first: two admissions, and each newcomer removes the other's sponsor.
    @Test func `has the two results of the first rule, and one now`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let beginnings = [history.write(1, .other), history.write(2, .other)]
        let one = history.write(0, .admit(3), knowing: beginnings)
        let other = history.write(1, .admit(4), knowing: beginnings)
        let removals = (
            history.write(3, .remove(1 << 1), knowing: [one]), history.write(4, .remove(1 << 0), knowing: [other])
        )
        let fixpoints = OldCircleRule(history).fixpoints()
        #expect(Set(fixpoints) == [[removals.0], [removals.1]])
        #expect(history.state.contested.count == 2 && history.members == [0, 1, 2])
    }

    /// The history that showed it first: years later a removed device writes a removal of everybody, back to the beginning.
    @Test func `is emptied by a removed device with the rule that was tried first, and not now`() {
        var history = CircleHistory<StandardCircleRules>(devices: 3)
        let beginnings = [history.write(1, .other), history.write(2, .other)]
        let removal = history.write(1, .remove(1 << 0), knowing: beginnings)
        let statement = history.write(2, .other, knowing: [removal])
        history.write(1, .other, knowing: [statement])
        history.write(0, .remove(1 << 1 | 1 << 2), knowing: [])
        var entries = OldCircleRule(history).entries
        entries[entries.count - 1].cuts = [1: 0, 2: 0]
        #expect(OldCircleRule(first: 3, entries: entries).members() == [])
        #expect(history.members == [1, 2] && !history.state.isFrozen)
    }
}
