import WardLog

/// A history of a circle that grows by one entry at a time, and what each entry knew.
///
/// The devices are numbers. The first entry begins the circle with the devices 0, 1 and so on.
struct CircleHistory<Rules: CircleRules> {
    struct Step: Hashable {
        let author: Int
        /// The entries that the author knew, as a set of places.
        let view: UInt32
        let kind: Kind
    }

    /// What an entry does; its numbers and keys are those that an honest program would choose.
    enum Kind: Hashable {
        case other, unknown, rekey, header, recovery, rules, place
        case admit(Int)
        case recover(UInt8)
        case remove(UInt32)
        /// A removal that the first recovery key signs too.
        case removeWithRecoveryKey(UInt32)

        var code: [UInt8] {
            switch self {
            case .other: [0]
            case .admit(let device): [1, UInt8(device)]
            case .remove(let devices): [2, UInt8(devices & 255)]
            case .rekey: [3]
            case .header: [4]
            case .recovery: [5]
            case .recover(let key): [6, key]
            case .unknown: [7]
            case .rules: [8]
            case .removeWithRecoveryKey(let devices): [9, UInt8(devices & 255)]
            case .place: [10]
            }
        }
    }

    private(set) var circle: Circle<Rules>
    private(set) var entries: [CircleEntry]
    private(set) var steps: [Step]
    /// The past of each entry, without itself.
    private(set) var pasts: [UInt32] = [0]
    let first: Int

    static func device(_ number: Int) -> DeviceID { DeviceID([UInt8](repeating: UInt8(number), count: 16))! }
    static func number(of device: DeviceID) -> Int { Int(device.bytes[0]) }
    static func owner(_ number: UInt8) -> CircleKey { CircleKey([1, number]) }
    static func recoveryKey(_ version: UInt8) -> CircleKey { CircleKey([2, version]) }

    init(devices first: Int) {
        self.first = first
        let hash: [UInt8] = [0, 0, 9]
        let operation = CircleOperation.begin(
            members: Set((0..<first).map(Self.device)),
            recovery: [Self.recoveryKey(1)],
            CircleKeys(epoch: 1, owner: CircleKey(hash), header: 1)
        )
        let entry = CircleEntry(
            hash: hash,
            content: hash,
            device: Self.device(0),
            names: [],
            operation: operation,
            approvals: [CircleApproval(CircleKey(hash), content: hash)]
        )
        circle = Circle(root: hash)
        circle.accept(entry)
        state = circle.state()
        circles = [Circle(root: hash)]
        entries = [entry]
        steps = [Step(author: 0, view: 0, kind: .other)]
    }

    var count: Int { entries.count }
    private(set) var state = CircleState()
    /// The circle before each entry.
    private(set) var circles: [Circle<Rules>] = []

    /// The last entry of a device, or the entry that lets it begin.
    func minimalViews(of author: Int) -> [UInt32] {
        if let last = steps.indices.last(where: { steps[$0].author == author }) {
            return [pasts[last] | 1 << UInt32(last)]
        }
        if author < first { return [1] }
        return steps.indices.filter { steps[$0].kind == .admit(author) }.map { pasts[$0] | 1 << UInt32($0) }
    }

    /// An entry as its author would write it, or as somebody would who has every key of the owner that the author ever had.
    ///
    /// - Parameter recovery: A recovery key that signs too.
    mutating func draft(_ step: Step, recovery: UInt8? = nil) -> CircleEntry {
        let names = heads(step.view).map { entries[$0].hash }
        let before = step.kind == .other || step.kind == .unknown ? CircleState() : circle.state(knowing: names)
        let sequence = steps.filter { $0.author == step.author }.count + 1
        let view = (0..<4).map { UInt8(step.view >> (8 * $0) & 255) }
        let hash = [UInt8(step.author), UInt8(sequence)] + step.kind.code + view
        let keys = CircleKeys(epoch: before.largestEpoch + 1, owner: CircleKey(hash), header: before.largestHeader + 1)
        var signers = before.owners
        let operation: CircleOperation
        switch step.kind {
        case .other: operation = .other
        case .unknown: operation = .unknown
        case .admit(let device): operation = .admit(Self.device(device))
        case .header: operation = .header(before.largestHeader + 1)
        case .rekey: operation = .rekey(keys)
        case .rules: operation = .rules(minimumReader: before.minimumReader + 1)
        case .place: operation = .place
        case .recovery: operation = .recovery([Self.recoveryKey(UInt8(count) + 10)], keys)
        case .recover(let version):
            operation = .recover(Self.recoveryKey(version))
            signers = [Self.recoveryKey(version)]
        case .remove(let devices), .removeWithRecoveryKey(let devices):
            operation = .remove(Set((0..<32).filter { devices & 1 << UInt32($0) != 0 }.map(Self.device)), keys)
        }
        if operation.keys != nil { signers.insert(keys.owner) }
        if case .removeWithRecoveryKey = step.kind { signers.insert(Self.recoveryKey(1)) }
        if let recovery { signers.insert(Self.recoveryKey(recovery)) }
        return CircleEntry(
            hash: hash,
            content: hash,
            device: Self.device(step.author),
            names: names,
            operation: operation,
            approvals: signers.sorted().map { CircleApproval($0, content: hash) }
        )
    }

    /// Whether the circle lets the device write the entry.
    func mayWrite(_ entry: CircleEntry) -> Bool {
        var copy = circle
        copy.accept(entry)
        return copy.stands(entry.hash)
    }

    /// Adds a step.
    ///
    /// - Returns: The entry's place.
    @discardableResult
    mutating func add(_ step: Step, _ entry: CircleEntry) -> Int {
        circles.append(circle)
        circle.accept(entry)
        state = circle.state()
        entries.append(entry)
        steps.append(step)
        pasts.append(step.view)
        return count - 1
    }

    /// Adds what a device writes that knows certain entries, and all that they and its own earlier entries build on.
    @discardableResult
    mutating func write(_ author: Int, _ kind: Kind, knowing places: [Int] = [], recovery: UInt8? = nil) -> Int {
        var view = minimalViews(of: author).first ?? 1
        for place in places { view |= pasts[place] | 1 << UInt32(place) }
        let step = Step(author: author, view: view, kind: kind)
        return add(step, draft(step, recovery: recovery))
    }

    /// The entries of a view that are in the past of no other.
    private func heads(_ view: UInt32) -> [Int] {
        var rest = view
        for place in 0..<count where view & 1 << UInt32(place) != 0 { rest &= ~pasts[place] }
        return (0..<count).filter { rest & 1 << UInt32($0) != 0 }
    }

    func counts(_ place: Int) -> Bool {
        var copy = circle
        return copy.counts(entries[place].hash)
    }

    /// Whether a recovery key signed a removal while it was in force.
    func isSignedByRecovery(_ place: Int) -> Bool {
        guard entries[place].operation.isRemoval else { return false }
        var copy = circle
        let keys = copy.state(knowing: entries[place].names).recovery
        return entries[place].approvals.contains { keys.contains($0.key) }
    }

    var members: [Int] { state.members.map(Self.number).sorted() }
    func isContested(_ place: Int) -> Bool { state.contested.contains(entries[place].hash) }
}

extension Circle {
    /// Takes an entry that is within the limits.
    @discardableResult
    mutating func accept(_ entry: CircleEntry) -> Outcome? { try? take(entry) }
}
