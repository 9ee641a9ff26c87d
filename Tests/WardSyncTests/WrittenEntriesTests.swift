import Foundation
import Testing
import WardLog

@testable import WardSync

/// How a device finds out what is left to write.
@Suite struct `The entries that a device has written` {
    private let folder: FolderFixture
    private let device: DeviceFixture
    private let own: String

    /// Three segments with two entries each.
    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
        own = folder.folder(of: device.id)
        for _ in 0..<3 { try folder.remote.write(try device.write(2), of: device.id) }
    }

    @Test func `end with the last one`() throws {
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 6))
        #expect(try folder.remote.written(by: DeviceFixture(folder.vault).id) == WrittenEntries(last: 0))
    }

    @Test func `end before a segment that is lost`() throws {
        try FolderFixture.remove(own + "/" + FolderFixture.name(3, 4))
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 2))
        // Writing the rest again closes the gap.
        try folder.remote.write(Array(device.records.dropFirst(2)), of: device.id)
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 6))
        try FolderFixture.remove(own + "/" + FolderFixture.name(1, 2))
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 0))
    }

    @Test func `end before a segment that is damaged`() throws {
        let file = own + "/" + FolderFixture.name(3, 4)
        var bytes = try FolderFixture.bytes(at: file)
        bytes[bytes.count - 1] ^= 1
        try FolderFixture.put(bytes, at: file)
        let written = try folder.remote.written(by: device.id)
        #expect(written.last == 2)
        #expect(written.troubles.map(\.path) == [file])
        guard case .segment(.wrongBlob(_))? = written.troubles.first?.reason else {
            return #expect(Bool(false), "a wrong blob was not noticed")
        }
        try folder.remote.write(Array(device.records[2..<4]), of: device.id)
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 6))
        #expect(folder.read().records == device.records)
    }

    @Test func `are only those that the device knows as its own`() throws {
        let twin = DeviceFixture(folder.vault, key: device.key)
        try twin.write(7, of: 8)
        try FolderFixture.remove(own + "/" + FolderFixture.name(5, 6))
        var builder = SegmentBuilder(vault: folder.vault, device: device.id)
        for record in twin.records[4...] { _ = builder.append(record) }
        try FolderFixture.put(builder.bytes, at: own + "/forged.seg")
        #expect(try folder.remote.written(by: device.id).last == 7)
        let hashes = Set(device.records.map(\.entry.hash))
        #expect(try folder.remote.written(by: device.id, counting: { hashes.contains($0.hash) }).last == 4)
    }

    @Test func `are not those of a segment of another device`() throws {
        let other = DeviceFixture(folder.vault)
        try other.write(7)
        var builder = SegmentBuilder(vault: folder.vault, device: other.id)
        for record in other.records { _ = builder.append(record) }
        try FolderFixture.put(builder.bytes, at: own + "/other.seg")
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 6))
    }

    @Test func `are counted up to the first gap, in any order`() {
        var generator = SplitMix(state: 3)
        for _ in 0..<500 {
            var numbers = (0..<40).map { _ in UInt64.random(in: 0...30, using: &generator) }
            numbers += [.max, .max - 1]
            numbers.shuffle(using: &generator)
            var ranges = NumberRanges()
            for number in numbers { ranges.insert(number) }
            var expected: UInt64 = 0
            while numbers.contains(expected + 1) { expected += 1 }
            #expect(ranges.lastWithoutGap == expected)
        }
        // Within bounds, whatever the numbers are.
        var ranges = NumberRanges()
        for number in 0..<UInt64(2 * FolderLimits.segments) { ranges.insert(2 * number + 1) }
        #expect(ranges.lastWithoutGap == 1)
    }
}
