import Testing
import WardCBOR
import WardLog

@Suite struct `Operations on a circle` {
    private static let device = CircleDevice(publicKey: [UInt8](repeating: 1, count: 32), suite: 2, sealingKey: [3])
    private static let other = CircleDevice(publicKey: [UInt8](repeating: 2, count: 32), suite: 1, sealingKey: [4])
    private static let recovery = CircleRecoveryKey(
        kind: 1,
        version: 2,
        publicKey: [UInt8](repeating: 5, count: 32),
        suite: 2,
        sealingKey: [6],
        parameters: ["days": 3]
    )
    private static let keys = CircleKeysRecord(
        epoch: 3,
        owner: [UInt8](repeating: 7, count: 32),
        header: 4,
        headerHash: [UInt8](repeating: 8, count: 32),
        sealed: [
            CircleSealedKey(
                recipient: [UInt8](repeating: 5, count: 32),
                suite: 2,
                encapsulation: [1, 2],
                ciphertext: [3, 4]
            ),
            CircleSealedKey(recipient: [UInt8](repeating: 9, count: 16), suite: 9, encapsulation: [], ciphertext: []),
        ]
    )
    private static let ids = [3, 4].map { DeviceID([UInt8](repeating: $0, count: 16))! }
    static let records: [CircleRecord] = [
        .begin(members: [device, other], recovery: [recovery], keys), .admit(device, name: [9, 9]),
        .joinAdmitted([UInt8](repeating: 1, count: 32)), .joinRecovered(other), .remove(ids, keys), .rekey(keys),
        .recovery([recovery], keys), .rules(minimumReader: 2),
        .place([5, 6, 7]),
    ]

    private func signed(_ operation: LogOperation) throws -> SignedEntry {
        let log = try LogFixture()
        var entry = try log[0].draft(operation)
        entry.approvals = [1, 2].map {
            LogApproval(publicKey: [UInt8](repeating: $0, count: 32), signature: [UInt8](repeating: $0, count: 64))
        }
        entry.recoveryApproval = entry.approvals[1]
        return log[0].signed(entry)
    }

    @Test(arguments: records.indices)
    func `are read as they were written`(index: Int) throws {
        let entry = try signed(.circle(Self.records[index]))
        let read = try SignedEntry(encoded: entry.encoded)
        #expect(read == entry && read.entry.operation == .circle(Self.records[index]))
        #expect(read.entry.payload() == entry.payload)
    }

    /// Lists have one order, and nothing twice; anything else is an unknown operation.
    @Test func `have one form`() throws {
        let (device, other, keys) = (Self.device, Self.other, Self.keys)
        var doubled = keys
        doubled.sealed.append(keys.sealed[1])
        var swapped = keys
        swapped.sealed.swapAt(0, 1)
        let wrong: [CircleRecord] = [
            .begin(members: [other, device], recovery: [], keys),
            .begin(members: [device, device], recovery: [], keys),
            .remove(Self.ids.reversed(), keys), .remove([Self.ids[0], Self.ids[0]], keys), .rekey(doubled),
            .rekey(swapped),
            .recovery([Self.recovery, Self.recovery], keys),
        ]
        for record in wrong {
            let entry = try SignedEntry(encoded: signed(.circle(record)).encoded)
            guard case .unknown = entry.entry.operation else {
                Issue.record("\(record) is read")
                continue
            }
        }
    }

    @Test func `have no signatures if these cannot be read`() throws {
        let log = try LogFixture()
        let signature = CBORValue.bytes([UInt8](repeating: 1, count: 64))
        let right: CBORValue = [Self.key, signature]
        let short = CBORValue.bytes([UInt8](repeating: 1, count: 31))
        for wrong: CBORValue in [
            [Self.key], [Self.key, signature, 1], [short, signature], [Self.key, short], "x", [1, signature],
        ] {
            let entry = try log[0].draft(.unknown(12, [1: 2, 14: wrong, 15: [wrong]]))
            let read = try SignedEntry(encoded: log[0].signed(entry).encoded).entry
            #expect(
                read.approvals == [] && read.recoveryApproval == nil
                    && read.operation == .circle(.rules(minimumReader: 2))
            )
        }
        let twice = try log[0].draft(.unknown(12, [1: 2, 14: right, 15: [right, right]]))
        let read = try SignedEntry(encoded: log[0].signed(twice).encoded).entry
        #expect(read.approvals == [] && read.recoveryApproval != nil)
    }

    private static let key = CBORValue.bytes([UInt8](repeating: 1, count: 32))
    private static let id = CBORValue.bytes([UInt8](repeating: 1, count: 16))

    private static func keys(_ change: (inout [CBORPair]) -> Void = { _ in }) -> CBORValue {
        var pairs: [CBORPair] = [
            CBORPair(key: 1, value: 2), CBORPair(key: 2, value: key), CBORPair(key: 3, value: 2),
            CBORPair(key: 4, value: key), CBORPair(key: 5, value: [[id, 2, .bytes([1]), .bytes([2])]]),
        ]
        change(&pairs)
        return .map(pairs)
    }

    private static func sealed(_ parts: CBORValue) -> CBORValue { keys { $0[4] = CBORPair(key: 5, value: [parts]) } }

    /// Bodies in which one value has another type, length or number.
    private static let malformed: [(UInt64, CBORValue)] = {
        let long = CBORValue.bytes([UInt8](repeating: 1, count: 2_049))
        let short = CBORValue.bytes([UInt8](repeating: 1, count: 31))
        var found: [(UInt64, CBORValue)] = [
            (6, [1: [[key, 2]], 2: [], 3: keys()]), (6, [1: [[key, 2, key, key]], 2: [], 3: keys()]),
            (6, [1: [[short, 2, key]], 2: [], 3: keys()]), (6, [1: [[key, "2", key]], 2: [], 3: keys()]),
            (6, [1: [[key, 2, long]], 2: [], 3: keys()]), (6, [1: [[key, 2, key]], 3: keys()]),
            (6, [1: [[key, 2, key]], 2: []]), (6, [1: "x", 2: [], 3: keys()]),
            (6, [1: [[key, 2, key]], 2: [[1, 1, short, 2, key, .null]], 3: keys()]),
            (6, [1: [[key, 2, key]], 2: [[1, 1, key, 2, key]], 3: keys()]),
            (7, [1: short, 2: 2, 3: key, 4: key]), (7, [1: key, 3: key, 4: key]), (7, [1: key, 2: 2, 3: long, 4: key]),
            (7, [1: key, 2: 2, 3: key]), (7, [1: key, 2: 2, 3: key, 4: .bytes([UInt8](repeating: 1, count: 1_025))]),
            (8, [1: short]), (8, [2: short, 3: 2, 4: key]), (8, [2: key, 4: key]), (8, [2: key, 3: 2, 4: long]),
            (8, [:]),
            (9, [1: [key], 3: keys()]), (9, [1: ["x"], 3: keys()]), (9, [1: [id]]), (10, [:]), (10, [3: 7]),
            (11, [3: keys()]),
            (12, [:]), (12, [1: "2"]),
        ]
        for place in 0..<5 { found.append((10, [3: keys { $0.remove(at: place) }])) }
        for place in 0..<5 { found.append((10, [3: keys { $0[place].value = "x" }])) }
        found.append((10, [3: keys { $0[1].value = short }]))
        found.append((10, [3: keys { $0[3].value = short }]))
        for parts: CBORValue in [
            [id, 2, key], [id, 2, key, key, key], [short, 2, key, key], [.bytes([]), 2, key, key], [id, "2", key, key],
            [id, 2, long, key], [id, 2, key, .bytes([UInt8](repeating: 1, count: 1_025))], [id, 2, 3, key], "x",
        ] { found.append((10, [3: sealed(parts)])) }
        return found
    }()

    @Test(arguments: malformed.indices)
    func `with another body are unknown`(index: Int) throws {
        let (code, body) = Self.malformed[index]
        let read = try SignedEntry(encoded: signed(.unknown(code, LaterValue(body))).encoded)
        guard case .unknown(code, _) = read.entry.operation else {
            Issue.record("\(code) \(body) is read")
            return
        }
    }

    @Test func `with a right body are read`() throws {
        let right: [(UInt64, CBORValue)] = [
            (6, [1: [[Self.key, 2, Self.key]], 2: [[1, 1, Self.key, 2, Self.key, .null]], 3: Self.keys()]),
            (10, [3: Self.keys(), 99: "later"]), (9, [1: [Self.id], 3: Self.keys()]),
        ]
        for (code, body) in right {
            let read = try SignedEntry(encoded: signed(.unknown(code, LaterValue(body))).encoded)
            guard case .circle = read.entry.operation else {
                Issue.record("\(code) is not read")
                continue
            }
        }
    }

    /// What an owner key signs does not change with the signatures, and changes with everything else.
    @Test(arguments: records.indices)
    func `are approved without the approvals`(index: Int) throws {
        let entry = try signed(.circle(Self.records[index]))
        var bare = entry.entry
        (bare.approvals, bare.recoveryApproval) = ([], nil)
        let content = try LogEntry.approvedContent(entry.payload)
        #expect(try LogEntry.approvedContent(bare.payload()) == content)
        bare.time = HybridTime(value: bare.time.value + 1)
        #expect(try LogEntry.approvedContent(bare.payload()) != content)
    }

    /// Every byte changed, and every length: an error or an entry, never a trap.
    @Test(arguments: records.indices)
    func `that were changed never trap`(index: Int) throws {
        let entry = try signed(.circle(Self.records[index]))
        let circle = try CircleFixture(devices: 1)
        var graph = circle[0].graph
        for place in entry.encoded.indices {
            for flip in [1, 0x80, 0xff] as [UInt8] {
                var bytes = entry.encoded
                bytes[place] ^= flip
                guard let changed = try? SignedEntry(encoded: bytes) else { continue }
                _ = try? graph.take(changed)
                _ = try? LogEntry.approvedContent(changed.payload)
            }
            #expect(throws: LogError.self) { try SignedEntry(encoded: Array(entry.encoded.prefix(place))) }
        }
        #expect(graph.count == circle[0].graph.count)
    }
}
