import Foundation
import Testing
import WardLog

@testable import WardSync

/// What a device does with many small segments of its own.
@Suite struct `Merging small segments` {
    private let device = DeviceFixture(VaultID(genesis: [1]))

    /// A folder with a segment for each of the device's records, without the last one.
    private func folder() throws -> FolderFixture {
        let folder = try FolderFixture(vault: device.vault)
        for record in device.records.dropLast() { try folder.remote.write([record], of: device.id) }
        return folder
    }

    @Test func `begins with more than 16 of them, and keeps everything`() throws {
        try device.write(18)
        let folder = try folder()
        #expect(try folder.files(of: device.id).count == 17)
        #expect(try folder.remote.write([device.records[17]], of: device.id).isEmpty)
        #expect(try folder.files(of: device.id) == [FolderFixture.name(1, 17), FolderFixture.name(18, 18)])
        let found = folder.read()
        #expect(found.records == device.records && found.troubles.isEmpty)
    }

    @Test func `deletes none before the new one is on the disk`() throws {
        try device.write(18)
        let folder = try folder()
        let log = StepLog()
        try folder.watched { try log.take($0) }.write([device.records[17]], of: device.id)
        let steps = log.all
        let flushed = try #require(steps.firstIndex(where: { $0.isSynchronize }))
        let deleted = try #require(steps.firstIndex(where: { $0.isDelete }))
        #expect(flushed < deleted)
        let merged = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 17)
        #expect(steps[..<flushed].contains(.rename(merged)))
        #expect(steps.filter(\.isDelete).count == 17)
    }

    @Test func `loses nothing at whatever step the disk fails`() throws {
        try device.write(18)
        let (old, new) = (device.records.dropLast(), Array(device.records.suffix(1)))
        let whole = StepLog()
        try self.folder().watched { try whole.take($0) }.write(new, of: device.id)
        #expect(whole.all.count > 17)
        for limit in 0..<whole.all.count {
            let folder = try folder()
            let log = StepLog(failingAfter: limit)
            #expect(throws: FolderError(.unavailable, "")) {
                try folder.watched { try log.take($0) }.write(new, of: device.id)
            }
            let found = folder.read()
            #expect(found.troubles.isEmpty)
            #expect(Set(found.records).isSuperset(of: old), "after \(limit) steps")
            // The next write goes on from there.
            #expect(try folder.remote.write(new, of: device.id).isEmpty)
            #expect(Set(folder.read().records) == Set(device.records))
            #expect(try folder.files(of: device.id).allSatisfy { $0.hasSuffix(".seg") })
        }
    }

    @Test func `goes on where it stopped, without a second copy`() throws {
        try device.write(18)
        let folder = try folder()
        let whole = StepLog()
        try self.folder().watched { try whole.take($0) }.write([device.records[17]], of: device.id)
        // The new segment is there, and none of the old ones is deleted yet.
        let flushed = try #require(whole.all.firstIndex(where: { $0.isSynchronize }))
        let log = StepLog(failingAfter: flushed + 1)
        _ = try? folder.watched { try log.take($0) }.write([device.records[17]], of: device.id)
        #expect(try folder.files(of: device.id).count == 18)
        #expect(folder.read().records.count == 34)
        try folder.remote.write([device.records[17]], of: device.id)
        #expect(try folder.files(of: device.id) == [FolderFixture.name(1, 17), FolderFixture.name(18, 18)])
        #expect(folder.read().records == device.records)
    }

    @Test func `leaves a damaged one alone, and merges the others`() throws {
        try device.write(18)
        let folder = try folder()
        let damaged = folder.folder(of: device.id) + "/" + FolderFixture.name(3, 3)
        try FolderFixture.put([0x85, 1], at: damaged)
        let troubles = try folder.remote.write([device.records[17]], of: device.id)
        #expect(troubles.map(\.path) == [damaged])
        #expect(troubles.map(\.reason) == [.segment(.malformed(at: 0))])
        #expect(
            try folder.files(of: device.id) == [
                FolderFixture.name(1, 1), FolderFixture.name(2, 2), FolderFixture.name(3, 3),
                FolderFixture.name(4, 17), FolderFixture.name(18, 18),
            ]
        )
        #expect(folder.read().records.count == 17)
    }

    @Test func `leaves files alone whose names do not fit`() throws {
        try device.write(18)
        let other = DeviceFixture(device.vault)
        try other.write(3)
        let strangers = try FolderFixture(vault: device.vault)
        for record in other.records { try strangers.remote.write([record], of: other.id) }
        let strange = try FolderFixture.bytes(at: strangers.folder(of: other.id) + "/" + FolderFixture.name(3, 3))
        let first = try folder()
        let wrong = try FolderFixture.bytes(at: first.folder(of: device.id) + "/" + FolderFixture.name(2, 2))
        let cases: [([UInt8], FolderTrouble.Reason)] = [(wrong, .misnamed), (strange, .segment(.otherDevice(at: 0)))]
        for (bytes, reason) in cases {
            let folder = try folder()
            let place = folder.folder(of: device.id) + "/" + FolderFixture.name(3, 3)
            try FolderFixture.put(bytes, at: place)
            let troubles = try folder.remote.write([device.records[17]], of: device.id)
            #expect(troubles == [FolderTrouble(.merge, place, reason)])
            #expect(try FolderFixture.bytes(at: place) == bytes)
            #expect(try folder.files(of: device.id).contains(FolderFixture.name(4, 17)))
        }
    }

    @Test func `leaves files alone whose entries do not follow each other`() throws {
        try device.write(18)
        let records = device.records
        let cases: [(first: UInt64, last: UInt64, [LogRecord])] = [
            (3, 5, [records[2], records[4]]), (3, 4, [records[3], records[2]]), (3, 4, Array(records[2...4])),
            (3, 4, Array(records[1...3])),
        ]
        for (first, last, wrong) in cases {
            let folder = try folder()
            var builder = SegmentBuilder(vault: folder.vault, device: device.id)
            for record in wrong { _ = builder.append(record) }
            let place = folder.folder(of: device.id) + "/" + FolderFixture.name(first, last)
            try FolderFixture.put(builder.bytes, at: place)
            let troubles = try folder.remote.write([records[17]], of: device.id)
            #expect(troubles == [FolderTrouble(.merge, place, .misnamed)])
            #expect(try FolderFixture.bytes(at: place) == builder.bytes)
            #expect(try folder.files(of: device.id).count == 3)
        }
    }

    @Test func `leaves large ones alone`() throws {
        try device.write(blob: FolderLimits.smallSize)
        try device.write(18)
        let folder = try folder()
        #expect(try folder.remote.write([device.records[18]], of: device.id).isEmpty)
        let names = [FolderFixture.name(1, 1), FolderFixture.name(2, 18), FolderFixture.name(19, 19)]
        #expect(try folder.files(of: device.id) == names)
        #expect(folder.read().records == device.records)
    }

    @Test func `is no trouble if an old one is gone, and one if it cannot be deleted`() throws {
        try device.write(18)
        for isFolder in [false, true] {
            let folder = try folder()
            let place = folder.folder(of: device.id) + "/" + FolderFixture.name(5, 5)
            let watched = folder.watched { step in
                guard step == .delete(place) else { return }
                try FolderFixture.remove(place)
                if isFolder {
                    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
                }
            }
            let troubles = try watched.write([device.records[17]], of: device.id)
            let merged = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 17)
            let blocked = FolderTrouble(.merge, merged, .write(FolderError(.blocked, "")))
            #expect(troubles == (isFolder ? [blocked] : []))
            #expect(Set(folder.read().records) == Set(device.records))
        }
    }

    @Test func `does not keep new entries from being written`() throws {
        try device.write(18)
        let folder = try folder()
        // Something is where the merged segment should be.
        let place = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 17)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let troubles = try folder.remote.write([device.records[17]], of: device.id)
        #expect(troubles == [FolderTrouble(.merge, place, .write(FolderError(.blocked, "")))])
        #expect(folder.read().records == device.records)
    }

    // MARK: Parts

    private func small(_ first: UInt64, _ last: UInt64, size: Int = 1) -> OwnFolder.SmallSegment {
        OwnFolder.SmallSegment(name: SegmentFileName(first: first, last: last), size: size)
    }

    @Test func `takes the most that follow each other and fit`() {
        let apart = [small(1, 1), small(3, 3), small(4, 6), small(6, 7), small(9, 9), small(10, 10)]
        #expect(OwnFolder.longestRun(apart.shuffled()) == Array(apart[1...3]))
        #expect(OwnFolder.longestRun([small(2, 9), small(3, 4), small(10, 10)]).count == 3)
        #expect(OwnFolder.longestRun([]).isEmpty)
        let large = (UInt64(1)...5).map { small($0, $0, size: 2 << 20) }
        #expect(OwnFolder.longestRun(large) == Array(large[..<4]))
        #expect(OwnFolder.longestRun([small(0, 0), small(1, .max)]).count == 2)
        #expect(OwnFolder.longestRun([small(1, 1), small(.max, .max)]).count == 1)
    }

    @Test func `takes each entry once, with its blob, in order`() throws {
        let records = try device.write(4)
        func segment(_ records: [LogRecord]) -> Segment {
            let identity = SegmentIdentity(folder: [], file: [], size: 0, modified: 0)
            return Segment(identity: identity, device: device.id, records: records)
        }
        let cleared = LogRecord(entry: records[1].entry)
        let first = segment([records[0], cleared, records[3]])
        let second = segment([records[1], records[2]])
        #expect(OwnFolder.joined([first, second]) == records)
        #expect(OwnFolder.joined([second, first]) == records)
        // Two blobs of an operation of a later version: nobody knows which one is right.
        let later = LogRecord(entry: try device.sign(.unknown(90, [:])), blob: [1])
        let other = LogRecord(entry: later.entry, blob: [2])
        #expect(OwnFolder.joined([segment([later]), segment([other, later])]) == [later, other])
    }
}
