import Foundation
import Testing
import WardLog

@testable import WardSync

/// What a device writes, and what readers get of it.
@Suite struct `Writing into a folder` {
    private let folder: FolderFixture
    private let device: DeviceFixture

    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
    }

    @Test func `gives readers the same records in their order`() throws {
        try device.write(3)
        try device.write(2, blob: nil)
        try folder.remote.write(Array(device.records.prefix(2)), of: device.id)
        #expect(try folder.remote.write(Array(device.records.dropFirst(2)), of: device.id).isEmpty)
        #expect(try folder.remote.write([], of: device.id).isEmpty)
        let found = folder.read()
        #expect(found.records == device.records)
        #expect(found.troubles.isEmpty)
        #expect(found.segments.map(\.device) == [device.id, device.id])
        #expect(try folder.files(of: device.id) == [FolderFixture.name(1, 2), FolderFixture.name(3, 5)])
        #expect(FolderFixture.name(3, 5) == "00000000000000000003-00000000000000000005.seg")
    }

    @Test func `has the form of the format, byte for byte`() throws {
        let records = [try device.write()[0], try device.write(blob: nil)[0]]
        try folder.remote.write(records, of: device.id)
        func bytes(_ value: [UInt8]) -> [UInt8] {
            let count = value.count
            if count < 24 { return [0x40 | UInt8(count)] + value }
            if count < 256 { return [0x58, UInt8(count)] + value }
            return [0x59, UInt8(count >> 8), UInt8(count & 0xff)] + value
        }
        var expected: [UInt8] = [0x85, 0x64]
        expected += Array("ward".utf8)
        expected += [0x01, 0x67]
        expected += Array("segment".utf8)
        expected += bytes(folder.vault.bytes) + bytes(device.id.bytes)
        expected += [0x82] + bytes(records[0].entry.encoded) + bytes([UInt8](repeating: 7, count: 40))
        expected += [0x82] + bytes(records[1].entry.encoded) + [0xf6]
        let file = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 2)
        #expect(try FolderFixture.bytes(at: file) == expected)
    }

    @Test func `makes files and folders that only their owner reads`() throws {
        try folder.remote.write(try device.write(), of: device.id)
        let own = folder.folder(of: device.id)
        for made in [folder.path + "/ward", folder.vaultFolder, own] {
            #expect(try FolderFixture.mode(made) == 0o700)
        }
        #expect(try FolderFixture.mode(own + "/" + FolderFixture.name(1, 1)) == 0o600)
    }

    @Test func `begins a new segment before 8 MiB`() throws {
        let folder = try FolderFixture(inMemory: false)
        try device.write(9, blob: SegmentLimits.blob)
        try folder.remote.write(device.records, of: device.id)
        #expect(try folder.files(of: device.id) == [FolderFixture.name(1, 7), FolderFixture.name(8, 9)])
        let found = folder.read()
        #expect(found.records == device.records)
        #expect(found.segments.allSatisfy { $0.identity.size <= SegmentLimits.segment })
    }

    @Test func `fills a segment to the last byte and no further`() throws {
        let large = 1 << 20
        try device.write(7, blob: large)
        var builder = SegmentBuilder(vault: folder.vault, device: device.id)
        for record in device.records { _ = builder.append(record) }
        var measured = builder
        _ = measured.append(try device.write(blob: 70_000)[0])
        let around = measured.bytes.count - builder.bytes.count - 70_000
        let room = SegmentLimits.segment - builder.bytes.count - around
        var (full, over) = (builder, builder)
        // Both entries have the length of the probe: the same number, and a hash of the same length.
        let other = DeviceFixture(folder.vault, key: device.key)
        try other.write(7, blob: 1)
        let fits = try other.write(blob: room)[0]
        let isFull = full.append(fits)
        #expect(isFull && full.bytes.count == SegmentLimits.segment)
        let exceeds = LogRecord(entry: fits.entry, blob: [UInt8](repeating: 7, count: room + 1))
        let isOver = !over.append(exceeds)
        #expect(isOver && over.bytes == builder.bytes)
    }

    @Test func `twice of the same records changes nothing`() throws {
        try folder.remote.write(try device.write(2), of: device.id)
        let before = folder.read()
        let log = StepLog()
        try folder.watched { try log.take($0) }.write(device.records, of: device.id)
        #expect(folder.read().segments == before.segments)
        #expect(!log.all.contains(where: { $0.isCreate }))
    }

    @Test func `replaces a damaged file of its own`() throws {
        try folder.remote.write(try device.write(2), of: device.id)
        let file = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 2)
        try FolderFixture.put([0x85], at: file)
        try folder.remote.write(device.records, of: device.id)
        #expect(folder.read().records == device.records)
    }

    @Test func `replaces no other entries with the same numbers`() throws {
        try folder.remote.write(try device.write(2), of: device.id)
        let twin = DeviceFixture(folder.vault, key: device.key)
        try twin.write(2, of: 8)
        #expect(throws: FolderError(.contradiction, "")) { try folder.remote.write(twin.records, of: twin.id) }
        #expect(folder.read().records == device.records)
        // Nor what a later version has written.
        let file = folder.folder(of: device.id) + "/" + FolderFixture.name(1, 2)
        var bytes = try FolderFixture.bytes(at: file)
        bytes[6] = 2
        try FolderFixture.put(bytes, at: file)
        #expect(throws: FolderError(.contradiction, "")) { try folder.remote.write(device.records, of: device.id) }
        #expect(try FolderFixture.bytes(at: file) == bytes)
    }

    @Test func `leaves nothing behind where it fails`() throws {
        let records = try device.write()
        for limit in 0..<3 {
            let log = StepLog(failingAfter: limit)
            #expect(throws: FolderError(.unavailable, "")) {
                try folder.watched { try log.take($0) }.write(records, of: device.id)
            }
            #expect(try folder.files(of: device.id).allSatisfy { $0 == FolderFixture.name(1, 1) })
        }
        let full = folder.watched { _ in throw FolderError(.diskFull, "full") }
        #expect(throws: FolderError(.diskFull, "")) { try full.write(try device.write(), of: device.id) }
    }

    @Test func `by two devices at once loses nothing`() async throws {
        let other = DeviceFixture(folder.vault)
        try device.write(40)
        try other.write(40)
        let remote = folder.remote
        let work = [(device.id, device.records), (other.id, other.records)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (id, records) in work {
                group.addTask {
                    for record in records { try remote.write([record], of: id) }
                }
            }
            group.addTask {
                for _ in 0..<40 {
                    // A segment may vanish while it is merged; none is ever half there.
                    let troubles = FolderFixture.read(remote).troubles
                    #expect(troubles.allSatisfy { $0.reason == .missing })
                }
            }
            try await group.waitForAll()
        }
        let found = folder.read()
        #expect(found.troubles.isEmpty)
        #expect(Set(found.records) == Set(device.records + other.records))
    }
}
