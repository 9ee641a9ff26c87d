import Foundation
import Testing
import WardCBOR
import WardLog

@testable import WardSync

/// Bytes of a segment that are not what a device wrote.
@Suite struct `A segment` {
    private let folder: FolderFixture
    private let device: DeviceFixture
    private let own: String
    private let original: [LogRecord]
    /// The segment with the original records.
    private let bytes: [UInt8]

    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
        own = try folder.makeFolder(of: device.id)
        original = try device.write(2)
        var builder = SegmentBuilder(vault: folder.vault, device: device.id)
        for record in original { _ = builder.append(record) }
        bytes = builder.bytes
    }

    private func put(_ bytes: [UInt8], _ name: String) throws {
        try FolderFixture.put(bytes, at: own + "/" + name + ".seg")
    }

    @Test func `that is cut off gives a trouble, or fewer whole records`() throws {
        for count in bytes.indices { try put(Array(bytes[..<count]), "\(count)") }
        let found = folder.read()
        // One cut is exactly between the records.
        #expect(found.segments.map(\.records) == [[original[0]]])
        #expect(found.troubles.count == bytes.count - 1)
        #expect(found.reasons.allSatisfy { if case .segment(.malformed(_)) = $0 { true } else { false } })
        #expect(try folder.remote.written(by: device.id).last == 1)
    }

    @Test func `with a flipped bit gives a trouble, or an entry that nobody signed`() throws {
        let masks: [UInt8] = [0x01, 0x10, 0x80]
        for index in bytes.indices {
            for mask in masks {
                var flipped = bytes
                flipped[index] ^= mask
                try put(flipped, "\(index)-\(mask)")
            }
        }
        let found = folder.read()
        #expect(found.segments.count + found.troubles.count == bytes.count * masks.count)
        #expect(!found.segments.isEmpty && !found.troubles.isEmpty)
        let hashes = Set(original.map(\.entry.hash))
        for records in found.segments.map(\.records) {
            let changed = zip(records, original).filter { $0 != $1 }.map { $0.0 }
            #expect(records.count == original.count && changed.count == 1)
            for record in changed {
                #expect(!hashes.contains(record.entry.hash))
                #expect(!record.entry.isSigned(by: device.publicKey, vault: folder.vault))
            }
        }
        // What is right is signed, so the check above means something.
        #expect(original.allSatisfy { $0.entry.isSigned(by: device.publicKey, vault: folder.vault) })
    }

    @Test func `of random bytes is none, 2,000 times`() throws {
        var generator = SplitMix(state: 7)
        let header = SegmentBuilder(vault: folder.vault, device: device.id).bytes
        for number in 0..<2_000 {
            let noise = (0..<Int.random(in: 0..<400, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            // Two of three begin as a segment does, and one of these as a record does.
            let start: [UInt8] =
                switch number % 3 {
                case 0: []
                case 1: header
                default: header + [0x82, 0x58, UInt8(truncatingIfNeeded: noise.count)]
                }
            try put(start + noise, "\(number)")
        }
        let found = folder.read()
        #expect(found.segments.isEmpty)
        #expect(found.troubles.count == 2_000)
        #expect(found.troubles.allSatisfy { $0.step == .check })
    }

    // MARK: By hand

    private func header(_ change: (inout [CBORValue]) -> Void) -> [UInt8] {
        var parts: [CBORValue] = [
            "ward", 1, "segment", .bytes(folder.vault.bytes), .bytes(device.id.bytes),
        ]
        change(&parts)
        return CBORValue.array(parts).encoded()
    }

    private func record(_ entry: SignedEntry, _ blob: CBORValue = .null) -> [UInt8] {
        CBORValue.array([.bytes(entry.encoded), blob]).encoded()
    }

    /// Reads one segment with these bytes, and returns what is wrong with it.
    private func fault(_ bytes: [UInt8]) throws -> SegmentFault? {
        try put(bytes, "0")
        let found = folder.read()
        guard case .segment(let fault)? = found.reasons.first else {
            #expect(found.segments.count == 1 && found.troubles.isEmpty)
            return nil
        }
        #expect(found.segments.isEmpty && found.troubles.count == 1)
        return fault
    }

    @Test func `has exactly one header`() throws {
        let rest = record(original[0].entry)
        #expect(try fault(header { _ in } + rest) == nil)
        let short = [UInt8](repeating: 1, count: 15)
        #expect(try fault(header { $0[0] = "wart" } + rest) == .malformed(at: 0))
        #expect(try fault(header { $0[2] = "segmenu" } + rest) == .malformed(at: 0))
        #expect(try fault(header { $0[1] = 2 } + rest) == .unknownVersion(2))
        #expect(try fault(header { $0 = ["ward", 2, "segment"] } + rest) == .unknownVersion(2))
        #expect(try fault(header { $0 = ["ward", 1] } + rest) == .malformed(at: 0))
        #expect(try fault(header { $0.append(0) } + rest) == .malformed(at: 0))
        #expect(try fault(header { $0.removeLast() } + rest) == .malformed(at: 0))
        #expect(try fault(header { $0[3] = .bytes([UInt8](repeating: 1, count: 32)) } + rest) == .otherVault)
        #expect(try fault(header { $0[4] = .bytes(short) } + rest) == .malformed(at: 49))
        #expect(try fault(header { _ in }) == .malformed(at: 66))
        #expect(try fault(rest) == .malformed(at: 0))
    }

    @Test func `has records that prove themselves`() throws {
        let start = header { _ in }
        let offset = start.count
        let entry = original[0].entry
        let blob = CBORValue.bytes(original[0].blob ?? [])
        #expect(try fault(start + record(entry, blob)) == nil)
        #expect(try fault(start + record(entry, .bytes([1]))) == .wrongBlob(at: offset))
        let removal = try device.sign(.purge(item: LogItemID(prefix: [1]), parents: []))
        #expect(try fault(start + record(removal, blob)) == .wrongBlob(at: offset))
        #expect(try fault(start + record(removal)) == nil)
        let replaced = try device.sign(.header(generation: 1, hash: original[0].blobHash))
        #expect(try fault(start + record(replaced, blob)) == nil)
        #expect(try fault(start + record(replaced, .bytes([1]))) == .wrongBlob(at: offset))
        let later = try device.sign(.unknown(90, [:]))
        #expect(try fault(start + record(later, .bytes([1]))) == nil)
        let stranger = try DeviceFixture(folder.vault).write()[0].entry
        #expect(try fault(start + record(stranger)) == .otherDevice(at: offset))
        let one = CBORValue.array([.bytes(entry.encoded)]).encoded()
        #expect(try fault(start + one) == .malformed(at: offset))
        let three = CBORValue.array([.bytes(entry.encoded), .null, .null]).encoded()
        #expect(try fault(start + three) == .malformed(at: offset))
        let noEntry = CBORValue.array([.bytes([1, 2, 3]), .null]).encoded()
        #expect(try fault(start + noEntry) == .malformed(at: offset))
    }

    @Test func `has limits for each part`() throws {
        let start = header { _ in }
        let parents = [[UInt8]](repeating: [UInt8](repeating: 1, count: 32), count: 2_000)
        let long = try device.sign(.purge(item: LogItemID(prefix: [1]), parents: parents))
        #expect(long.encoded.count > LogEntry.maximumLength)
        #expect(try fault(start + record(long)) == .tooLong(at: start.count))
        let most = try device.write(blob: SegmentLimits.blob)[0]
        #expect(try fault(start + record(most.entry, .bytes(most.blob ?? []))) == nil)
        let more = try device.write(blob: SegmentLimits.blob + 1)[0]
        let found = try fault(start + record(more.entry, .bytes(more.blob ?? [])))
        guard case .tooLong(_)? = found else { return #expect(Bool(false), "a blob that is too long was read") }
    }
}

extension LogRecord {
    /// The hash that the entry names.
    fileprivate var blobHash: [UInt8] {
        if case .content(let record) = entry.entry.operation { record.blobHash } else { [] }
    }
}
