import Foundation
import Testing
import WardLog

@testable import WardSync

/// Which files a reader takes.
@Suite struct `A reader of a folder` {
    private let folder: FolderFixture
    private let device: DeviceFixture

    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
    }

    @Test func `finds nothing where nobody has written, and that is no trouble`() throws {
        #expect(folder.read().segments.isEmpty && folder.read().troubles.isEmpty)
        try FileManager.default.createDirectory(atPath: folder.path + "/ward", withIntermediateDirectories: true)
        #expect(folder.read().troubles.isEmpty)
        #expect(try folder.remote.written(by: device.id) == WrittenEntries(last: 0))
    }

    @Test func `opens nothing that it knows`() throws {
        let other = DeviceFixture(folder.vault)
        try folder.remote.write(try device.write(2), of: device.id)
        try folder.remote.write(try other.write(2), of: other.id)
        let known = Set(folder.read().segments.map(\.identity))
        #expect(known.count == 2)
        let log = StepLog()
        let again = FolderFixture.read(folder.watched { try log.take($0) }, skipping: known)
        #expect(again.segments.isEmpty && again.troubles.isEmpty)
        #expect(log.all.isEmpty)
        // What is new is read, and what was changed is read again.
        try folder.remote.write(try device.write(), of: device.id)
        let new = Array(device.records.suffix(1))
        #expect(folder.read(skipping: known).records == new)
        let file = folder.folder(of: other.id) + "/" + FolderFixture.name(1, 2)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
        #expect(Set(folder.read(skipping: known).records) == Set(new + other.records))
    }

    @Test func `begins with the folder of the device that it is told`() throws {
        let devices = [device, DeviceFixture(folder.vault), DeviceFixture(folder.vault)]
        for device in devices { try folder.remote.write(try device.write(), of: device.id) }
        for first in devices {
            var found: [DeviceID] = []
            _ = folder.remote.read(first: [first.id], skipping: { _ in false }) { found.append($0.device) }
            #expect(found.first == first.id && Set(found).count == 3)
        }
    }

    /// IDs are random, and nothing removes the folders of devices that were removed.
    @Test func `reads the folders of all devices that it is told`() throws {
        let devices = (0..<70).map { _ in DeviceFixture(folder.vault) }.sorted { $0.id < $1.id }
        for device in devices { try folder.remote.write(try device.write(), of: device.id) }
        func read(_ first: [DeviceFixture]) -> (found: [DeviceID], troubles: [FolderTrouble]) {
            var found: [DeviceID] = []
            let troubles = folder.remote.read(first: first.map(\.id), skipping: { _ in false }) {
                found.append($0.device)
            }
            return (found, troubles)
        }
        let last = Array(devices.suffix(3))
        let some = read(last)
        #expect(some.found == (last + devices.prefix(FolderLimits.devices - 3)).map(\.id))
        #expect(some.troubles == [FolderTrouble(.list, folder.vaultFolder, .tooManyDevices)])
        let all = read(devices)
        #expect(all.found == devices.map(\.id) && all.troubles.isEmpty)
        #expect(try folder.remote.allRecords(first: last.map(\.id)).records.count == FolderLimits.devices)
    }

    /// Members carry what others wrote, and programs for syncing keep copies of files.
    @Test func `counts each entry once for a device that joins`() throws {
        try folder.remote.write(try device.write(4, blob: 1_000), of: device.id)
        try folder.remote.carry(device.records, by: DeviceFixture(folder.vault).id)
        var limits = VaultLimits()
        (limits.entries, limits.bytes) = (4, device.records.reduce(0) { $0 + $1.size })
        let (records, troubles) = try folder.remote.allRecords(within: limits)
        #expect(folder.read().records.count == 8)
        #expect(records.count == 4 && Set(records) == Set(device.records) && troubles.isEmpty)
    }

    @Test func `keeps only the data that a device needs which joins, if all of it is too much`() throws {
        try folder.remote.write(try device.write(4, blob: 1_000), of: device.id)
        var limits = VaultLimits()
        limits.bytes = device.records.reduce(0) { $0 + $1.size } - 1
        let needed = Set(device.records.prefix(3).map(\.entry.hash))
        let (records, _) = try folder.remote.allRecords(within: limits) { entries in
            #expect(entries.count == 4 && entries.allSatisfy { $0.blob == nil })
            return needed
        }
        #expect(records.map(\.entry) == device.records.map(\.entry))
        #expect(records.map { $0.blob != nil } == [true, true, true, false])
        // Without a word of what is needed, everything is.
        #expect(throws: FolderError(.tooManyFiles, "")) { _ = try folder.remote.allRecords(within: limits) }
        limits.entries = 3
        #expect(throws: FolderError(.tooManyFiles, "")) {
            _ = try folder.remote.allRecords(within: limits) { _ in needed }
        }
    }

    @Test func `takes a conflict copy, and files and folders of any name`() throws {
        try folder.remote.write(try device.write(2), of: device.id)
        let own = folder.folder(of: device.id)
        let copy = "00000000000000000001-00000000000000000002.sync-conflict-20261126-101010-ABCDEFG.seg"
        try FileManager.default.moveItem(atPath: own + "/" + FolderFixture.name(1, 2), toPath: own + "/" + copy)
        #expect(folder.read().records == device.records)
        try FileManager.default.moveItem(atPath: own, toPath: folder.vaultFolder + "/phone of somebody")
        #expect(folder.read().records == device.records)
        #expect(folder.read().troubles.isEmpty)
    }

    @Test func `leaves out what programs for syncing keep beside it`() throws {
        try folder.remote.write(try device.write(), of: device.id)
        let own = folder.folder(of: device.id)
        for hidden in [folder.vaultFolder + "/.stversions", folder.vaultFolder + "/.stfolder"] {
            try FileManager.default.copyItem(atPath: own, toPath: hidden)
        }
        try FolderFixture.put([1], at: folder.vaultFolder + "/.DS_Store")
        try FolderFixture.put([1], at: own + "/" + FolderFixture.name(1, 1) + ".part")
        let found = folder.read()
        #expect(found.records == device.records && found.troubles.isEmpty)
    }

    @Test func `follows a link to the folder that a person named`() throws {
        try folder.remote.write(try device.write(), of: device.id)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let remote = FolderRemote(folder: link, vault: folder.vault)
        #expect(FolderFixture.read(remote).records == device.records)
        try remote.write(try device.write(), of: device.id)
        #expect(folder.read().records == device.records)
    }

    @Test func `refuses a segment of another vault`() throws {
        let other = try FolderFixture(vault: VaultID(genesis: [2]))
        let stranger = DeviceFixture(other.vault)
        try other.remote.write(try stranger.write(), of: stranger.id)
        try folder.remote.write(try device.write(), of: device.id)
        try FileManager.default.copyItem(
            atPath: other.folder(of: stranger.id),
            toPath: folder.folder(of: stranger.id)
        )
        let found = folder.read()
        #expect(found.records == device.records)
        #expect(found.reasons == [.segment(.otherVault)])
        #expect(found.troubles.first?.step == .check)
        #expect(found.troubles.first?.path == folder.folder(of: stranger.id) + "/" + FolderFixture.name(1, 1))
        #expect(found.troubles.first?.description.contains("Move it to the folder of that vault") == true)
    }

    @Test func `stops where its caller throws`() throws {
        struct Enough: Error {}
        try folder.remote.write(try device.write(), of: device.id)
        try folder.remote.write(try device.write(), of: device.id)
        var count = 0
        #expect(throws: Enough.self) {
            try folder.remote.read(skipping: { _ in false }) { _ in
                count += 1
                throw Enough()
            }
        }
        #expect(count == 1)
    }
}
