import Testing
import WardLog

/// Which contents of attached files a log keeps.
@Suite struct `Attached contents` {
    private let item = LogItemID.number(1)

    private func hash(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private func attach(_ number: UInt8, to item: LogItemID? = nil, _ device: LogFixture.Device) throws {
        try device.write(.content(ContentEntry(item: item ?? self.item, blobHash: hash(number))))
    }

    private func edit(_ device: LogFixture.Device, naming numbers: [UInt8]) throws {
        var record = device.revision(item)
        record.contents = numbers.map { hash($0) }
        try device.write(.revision(record))
    }

    private func clearable(_ device: LogFixture.Device) -> Set<UInt8> {
        Set(device.graph.clearableContents(of: item).compactMap(\.blobHash.first))
    }

    @Test func `are read as they were written`() throws {
        let log = try LogFixture()
        try attach(5, log[0])
        try edit(log[0], naming: [5])
        for signed in log[0].log {
            #expect(try LogEntry(payload: signed.payload) == signed.entry)
        }
        #expect(log[0].graph.contents().map(\.blobHash) == [hash(5)])
        #expect(log[0].graph.contents().first?.revisions.count == 1)
    }

    @Test func `that are not there, of another item, twice or out of order are refused`() throws {
        let log = try LogFixture(devices: 2)
        try attach(1, log[0])
        try attach(2, log[0])
        try attach(3, to: .number(2), log[0])
        for wrong: [UInt8] in [[4], [3], [1, 1], [2, 1], [1, 2, 4]] {
            #expect(throws: LogError.self, "\(wrong)") { try edit(log[0], naming: wrong) }
        }
        try edit(log[0], naming: [1, 2])
        // The other device has not heard of them.
        #expect(throws: LogError.self) { try edit(log[1], naming: [1]) }
    }

    @Test func `may be cleared when no revision names them any more that is kept`() throws {
        let log = try LogFixture()
        try attach(1, log[0])
        try attach(2, log[0])
        try attach(9, log[0])
        try edit(log[0], naming: [1, 2])
        try edit(log[0], naming: [2])
        for _ in 0..<98 { try edit(log[0], naming: [2]) }
        #expect(clearable(log[0]).isEmpty)
        try edit(log[0], naming: [2])
        // Number 9 may belong to a revision that is on its way.
        #expect(clearable(log[0]) == [1])
    }

    @Test func `of a removed item may be cleared, unless another device changed the item beside it`() throws {
        let log = try LogFixture(devices: 2)
        try attach(1, log[0])
        try attach(2, log[0])
        try edit(log[0], naming: [1, 2])
        try log.meet()
        try log[0].purge(item)
        #expect(clearable(log[0]) == [1, 2])
        try edit(log[1], naming: [1])
        try log.meet()
        #expect(clearable(log[0]) == [2])
        #expect(clearable(log[1]) == [2])
    }
}
