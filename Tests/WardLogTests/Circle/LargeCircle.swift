import WardLog

/// A circle with as many entries as the limits allow, written as programs with every owner key would write them.
struct LargeCircle {
    var circle: Circle<StandardCircleRules>
    private(set) var entries: [CircleEntry] = []
    /// The hash of the entry that begins the circle.
    let root: [UInt8]

    static func device(_ number: Int) -> DeviceID { CircleHistory<StandardCircleRules>.device(number) }

    init(devices: Int) throws {
        root = [0, 0]
        circle = Circle(root: root)
        let owner = CircleKey(root)
        let keys = CircleKeys(epoch: 1, owner: owner, header: 1)
        let operation = CircleOperation.begin(members: Set((0..<devices).map(Self.device)), recovery: [], keys)
        try add(
            CircleEntry(
                hash: root,
                content: root,
                device: Self.device(0),
                names: [],
                operation: operation,
                approvals: [CircleApproval(owner, content: root)]
            )
        )
    }

    private mutating func add(_ entry: CircleEntry) throws {
        try circle.take(entry)
        entries.append(entry)
    }

    /// Writes an entry that names these, with the numbers and signatures that its past asks for.
    @discardableResult
    mutating func write(
        _ author: Int,
        _ names: [[UInt8]],
        _ operation: (CircleKeys) -> CircleOperation
    ) throws -> [UInt8] {
        let hash = [UInt8(entries.count >> 8), UInt8(entries.count & 255)]
        let owner = CircleKey(hash)
        var signers: Set<CircleKey> = [owner]
        var keys = CircleKeys(epoch: 0, owner: owner, header: 0)
        if operation(keys) != .other {
            let before = circle.state(knowing: names)
            keys = CircleKeys(epoch: before.largestEpoch + 1, owner: owner, header: before.largestHeader + 1)
            signers.formUnion(before.owners)
        }
        try add(
            CircleEntry(
                hash: hash,
                content: hash,
                device: Self.device(author),
                names: names,
                operation: operation(keys),
                approvals: signers.map { CircleApproval($0, content: hash) }
            )
        )
        return hash
    }

    var standing: Int { entries.filter { circle.stands($0.hash) }.count }
}
