import Testing
import WardLog

/// A shape of a large circle.
enum LargeShape: String, CaseIterable, Sendable {
    case chain, fan, pairs, mutual, ladder

    private static let all = CircleLimits.operations + CircleLimits.reservedOperations

    /// Writes the shape with a share of what the limits allow.
    func circle(of parts: Int) throws -> LargeCircle {
        let members = CircleLimits.members
        let size = Self.all / parts
        var circle = try LargeCircle(devices: self == .ladder ? 2 : members)
        let root = circle.root
        var heads: [[UInt8]] = []
        switch self {
        case .chain:
            // One device makes one key after another.
            var last = root
            for _ in 1..<size { last = try circle.write(0, [last]) { .rekey($0) } }
            heads = [last]
        case .fan:
            // Each device makes keys and knows of nobody.
            for device in 0..<members {
                var last = root
                for _ in 0..<(size / members) { last = try circle.write(device, [last]) { .rekey($0) } }
                heads.append(last)
            }
        case .pairs:
            // Two groups: in each the next device knows the removals of its group, and removes its partner in the other group.
            for _ in 0..<(size / (members - 2)) {
                var last = [root, root]
                for pair in 1..<(members / 2) {
                    for side in 0...1 {
                        let target = LargeCircle.device(pair * 2 + 1 - side)
                        last[side] = try circle.write(pair * 2 + side, [last[side]]) { .remove([target], $0) }
                    }
                }
                heads += last
            }
        case .mutual:
            // Two devices remove each other, each again and again without knowing what it wrote before.
            for number in 0..<size {
                let target = LargeCircle.device(3 - number % 2)
                heads.append(try circle.write(2 + number % 2, [root]) { .remove([target], $0) })
            }
        case .ladder:
            // Two devices admit the next two, each of them twice, and so on. The first one is removed beside all that.
            var last = [root, root]
            let removed = LargeCircle.device(0)
            for step in 0..<((members - 2) / 2 / parts) {
                var admissions: [[UInt8]] = []
                for (side, name) in last.enumerated() {
                    var own = name
                    for next in 0...1 {
                        let newcomer = LargeCircle.device(2 * step + 2 + next)
                        own = try circle.write(2 * step + side, [own]) { _ in .admit(newcomer) }
                    }
                    admissions.append(own)
                }
                last = try (0...1).map { try circle.write(2 * step + 2 + $0, admissions) { _ in .other } }
            }
            heads = last + [try circle.write(1, [root]) { .remove([removed], $0) }]
        }
        // Every other device says what it knows, and one makes a new key after all that.
        var rest = heads[...]
        var statement = root
        while !rest.isEmpty {
            let names = rest.prefix(CircleLimits.names - 1)
            rest = rest.dropFirst(names.count)
            statement = try circle.write(0, [statement] + names) { _ in .other }
        }
        try circle.write(1, [statement]) { .rekey($0) }
        return circle
    }
}

@Suite struct `The limits of a circle` {
    private typealias History = CircleHistory<StandardCircleRules>

    /// Counts steps, because a time would depend on the machine.
    @Test(arguments: LargeShape.allCases)
    func `bound the work by a polynomial`(shape: LargeShape) throws {
        var work: [(entries: Int, CircleWork)] = []
        for parts in [2, 1] {
            var circle = try shape.circle(of: parts)
            _ = circle.circle.state()
            work.append((circle.entries.count, circle.circle.work))
            print("circle: \(shape), \(circle.entries.count) entries, \(circle.standing) stand: \(circle.circle.work)")
            let size = circle.entries.count
            // An evaluation for each entry as a writer and as a reader, and at most one for each pair of removals.
            #expect(circle.circle.work.evaluations <= 2 * size + size * size)
            #expect(circle.circle.work.deepest <= 2)
            #expect(circle.circle.work.total <= size * size * size)
        }
        // About twice the entries: more than sixteen times the work would be more than the fourth power.
        #expect(work[1].1.total <= 16 * (work[0].1.total + 64))
    }

    @Test func `are reached by no entry that does not stand: the circle is not computed again`() throws {
        var circle = try LargeCircle(devices: 3)
        var last = circle.root
        let state = circle.circle.state()
        let before = circle.circle.work
        for number in 0..<200 {
            last = try circle.write(number % 2, [last]) { _ in .other }
            #expect(circle.circle.state() == state)
        }
        #expect(circle.circle.work.evaluations == before.evaluations)
        #expect(circle.circle.work.steps - before.steps < 1_000)
        // An operation is another matter.
        try circle.write(0, [last]) { .rekey($0) }
        #expect(circle.circle.state() != state)
        #expect(circle.circle.work.evaluations > before.evaluations)
    }

    @Test func `end a chain of operations, and keep room to remove a device`() throws {
        var circle = try LargeCircle(devices: 3)
        var last = circle.root
        for _ in 1..<CircleLimits.operations { last = try circle.write(0, [last]) { .header($0.header) } }
        #expect(circle.standing == CircleLimits.operations)
        let beyond = try circle.write(1, [last]) { .header($0.header) }
        #expect(!circle.circle.stands(beyond))
        #expect(circle.circle.limit(beyond)?.step == .operations)
        // What does not stand does not count, and can be named.
        let removal = try circle.write(0, [last, beyond]) { .remove([LargeCircle.device(2)], $0) }
        #expect(circle.circle.stands(removal) && circle.circle.limit(removal) == nil)
        last = removal
        for _ in 1..<CircleLimits.reservedOperations { last = try circle.write(0, [last]) { .rekey($0) } }
        #expect(circle.circle.stands(last))
        let end = try circle.write(0, [last]) { .rekey($0) }
        #expect(!circle.circle.stands(end) && circle.circle.limit(end)?.step == .operations)
    }

    /// It has the owner key of the time before, and nobody can keep it from signing.
    @Test func `are not used up by what a removed device writes beside its removal`() throws {
        var circle = try LargeCircle(devices: 3)
        let removal = try circle.write(0, [circle.root]) { .remove([LargeCircle.device(2)], $0) }
        var last = circle.root
        for _ in 1..<(CircleLimits.operations + CircleLimits.reservedOperations) {
            last = try circle.write(2, [last]) { .rekey($0) }
        }
        #expect(circle.circle.stands(last))
        let next = try circle.write(1, [removal, last]) { .header($0.header) }
        #expect(circle.circle.stands(next) && circle.circle.limit(next) == nil)
        let other = try circle.write(0, [next]) { .remove([LargeCircle.device(1)], $0) }
        #expect(circle.circle.stands(other))
    }

    @Test func `admit no more members, but let a recovery key begin`() {
        var history = History(devices: CircleLimits.members)
        let admission = history.draft(.init(author: 0, view: 1, kind: .admit(CircleLimits.members)))
        #expect(!history.mayWrite(admission))
        let recovery = history.draft(.init(author: CircleLimits.members, view: 1, kind: .recover(1)))
        #expect(history.mayWrite(recovery))
        history = History(devices: CircleLimits.members - 1)
        let last = history.draft(.init(author: 0, view: 1, kind: .admit(CircleLimits.members)))
        #expect(history.mayWrite(last))
        history = History(devices: CircleLimits.membersAfterRecovery)
        #expect(history.state.members.isEmpty)
    }

    private func step(_ change: (inout CircleEntry) -> Void) -> CircleLimitError.Step? {
        var history = History(devices: 2)
        var entry = history.draft(.init(author: 0, view: 1, kind: .recovery))
        change(&entry)
        var circle = history.circle
        do { try circle.take(entry) } catch { return error.step }
        return nil
    }

    private func keys(_ count: Int) -> Set<CircleKey> { Set((0..<count).map { CircleKey([3, UInt8($0)]) }) }

    @Test func `refuse an entry that is too large by itself`() {
        let root = History(devices: 2).entries[0]
        let keys = CircleKeys(epoch: 2, owner: CircleKey([7]), header: 2)
        #expect(step { _ in } == nil)
        #expect(step { $0.names = [[UInt8]](repeating: root.hash, count: CircleLimits.names) } == nil)
        #expect(step { $0.names = [[UInt8]](repeating: root.hash, count: CircleLimits.names + 1) } == .names)
        #expect(step { $0.operation = .recovery(self.keys(CircleLimits.recoveryKeys), keys) } == nil)
        #expect(step { $0.operation = .recovery(self.keys(CircleLimits.recoveryKeys + 1), keys) } == .recoveryKeys)
        let many = Set((0...CircleLimits.members).map(LargeCircle.device))
        #expect(step { $0.operation = .remove(many, keys) } == .removedDevices)
        #expect(step { $0.operation = .begin(members: many, recovery: [], keys) } == .members)
        let approvals = [CircleApproval](
            repeating: CircleApproval(CircleKey([7]), content: [1]),
            count: CircleLimits.approvals + 1
        )
        #expect(step { $0.approvals = approvals } == .approvals)
    }

    @Test func `take no more of one device, unless another device names it`() throws {
        var circle = try LargeCircle(devices: 2)
        for _ in 1..<CircleLimits.entriesOfDevice { try circle.write(0, [circle.root]) { _ in .other } }
        let before = circle.circle.state(knowing: [circle.root])
        let entry = CircleEntry(
            hash: [9, 9],
            content: [9, 9],
            device: LargeCircle.device(0),
            names: [circle.root],
            operation: .other
        )
        var other = circle.circle
        #expect(throws: CircleLimitError.self) { try other.take(entry) }
        #expect(other.count == circle.circle.count && other.state(knowing: [circle.root]) == before)
        #expect(try other.take(entry, isNamed: true) == .taken)
        // The other device is not affected.
        try circle.write(1, [circle.root]) { .remove([LargeCircle.device(0)], $0) }
        #expect(circle.circle.state().members == [LargeCircle.device(1)])
    }
}
