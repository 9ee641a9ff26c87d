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
        var entry = try log[0].draft(.circle(.rules(minimumReader: 2)))
        let approval = LogApproval(
            publicKey: [UInt8](repeating: 1, count: 32),
            signature: [UInt8](repeating: 1, count: 64)
        )
        entry.approvals = [approval, approval]
        let read = try SignedEntry(encoded: log[0].signed(entry).encoded)
        #expect(read.entry.approvals == [] && read.entry.operation == .circle(.rules(minimumReader: 2)))
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
