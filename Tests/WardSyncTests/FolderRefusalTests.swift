import Foundation
import Testing
import WardLog

@testable import WardSync

/// What is never written, and what the error says then.
@Suite struct `Nothing is written` {
    private let folder: FolderFixture
    private let device: DeviceFixture

    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
    }

    @Test func `if the entries do not follow each other`() throws {
        let records = try device.write(3)
        let other = try DeviceFixture(folder.vault).write()
        let purge = LogOperation.purge(item: LogItemID(prefix: [1]), parents: [])
        let last = LogRecord(entry: try device.sign(purge, sequence: .max))
        let pairs: [[LogRecord]] = [
            [records[0], records[2]], [records[1], records[0]], [records[0], records[0]], [records[0], other[0]],
            [last],
        ]
        for wrong in pairs {
            #expect(throws: FolderError(.invalidRecords, "")) { try folder.remote.write(wrong, of: device.id) }
        }
        #expect(throws: FolderError(.invalidRecords, "")) { try folder.remote.write(other, of: device.id) }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/ward"))
    }

    @Test func `if readers would refuse it`() throws {
        let record = try device.write()[0]
        let tooLong = try device.write(blob: SegmentLimits.blob + 1)
        let wrong = LogRecord(entry: record.entry, blob: [1])
        let removal = LogRecord(entry: try device.write(blob: nil)[0].entry, blob: [1])
        let parents = [[UInt8]](repeating: [UInt8](repeating: 1, count: 32), count: 2_000)
        let longEntry = LogRecord(entry: try device.sign(.purge(item: LogItemID(prefix: [1]), parents: parents)))
        #expect(longEntry.entry.encoded.count > LogEntry.maximumLength)
        for records in [tooLong, [wrong], [removal], [longEntry]] {
            #expect(throws: FolderError(.invalidRecords, "")) { try folder.remote.write(records, of: device.id) }
        }
        // Without the blob, the same entry is fine.
        try folder.remote.write([LogRecord(entry: record.entry)], of: device.id)
        #expect(folder.read().records == [LogRecord(entry: record.entry)])
    }

    @Test func `into a folder that is not there`() throws {
        let missing = FolderRemote(folder: folder.path + "/missing", vault: folder.vault)
        let error = #expect(throws: FolderError.self) { try missing.write(try device.write(), of: device.id) }
        #expect(error?.code == .missing)
        #expect(error?.detail.contains("Connect its drive") == true)
        #expect(throws: FolderError(.missing, "")) { try missing.written(by: device.id) }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/missing"))
    }

    @Test func `where something else is in the way`() throws {
        let files = FileManager.default
        let records = try device.write()
        let own = folder.folder(of: device.id)
        func isBlocked(_ path: String) throws {
            try files.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                withIntermediateDirectories: true
            )
            try FolderFixture.put([1], at: path)
            #expect(throws: FolderError(.blocked, "")) { try folder.remote.write(records, of: device.id) }
            try FolderFixture.remove(path)
            try files.createSymbolicLink(atPath: path, withDestinationPath: folder.path)
            #expect(throws: FolderError(.blocked, "")) { try folder.remote.write(records, of: device.id) }
            try FolderFixture.remove(path)
        }
        for path in [folder.path + "/ward", folder.vaultFolder, own] { try isBlocked(path) }
        // A folder with the name of the segment.
        try files.createDirectory(atPath: own + "/" + FolderFixture.name(1, 1), withIntermediateDirectories: true)
        #expect(throws: FolderError(.blocked, "")) { try folder.remote.write(records, of: device.id) }
        #expect(try folder.files(of: device.id) == [FolderFixture.name(1, 1)])
    }

    @Test func `into a folder that vanishes meanwhile`() throws {
        let own = folder.folder(of: device.id)
        let watched = folder.watched { step in
            if case .create = step { try FolderFixture.remove(own) }
        }
        #expect(throws: FolderError(.missing, "")) { try watched.write(try device.write(), of: device.id) }
    }

    @Test(.enabled(if: getuid() != 0, "needs somebody who is not root"))
    func `without permission`() throws {
        let own = try folder.makeFolder(of: device.id)
        let records = try device.write()
        func isDenied(_ path: String) {
            #expect(unsafe chmod(path, 0o500) == 0)
            #expect(throws: FolderError(.denied, "")) { try folder.remote.write(records, of: device.id) }
            #expect(unsafe chmod(path, 0o700) == 0)
        }
        isDenied(own)
        try FolderFixture.remove(own)
        isDenied(folder.vaultFolder)
    }

    @Test func `beyond 4,096 segments`() throws {
        let own = try folder.makeFolder(of: device.id)
        for number in 0..<FolderLimits.segments { try FolderFixture.put([], at: own + "/\(number).seg") }
        #expect(throws: FolderError(.tooManySegments, "")) {
            try folder.remote.write(try device.write(), of: device.id)
        }
        try FolderFixture.remove(own + "/0.seg")
        try folder.remote.write(device.records, of: device.id)
        #expect(try folder.files(of: device.id).contains(FolderFixture.name(1, 1)))
    }

    @Test(
        arguments: [
            (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly), (EACCES, .denied), (EPERM, .denied),
            (ENOENT, .missing), (ELOOP, .blocked), (ENOTDIR, .blocked), (EISDIR, .blocked), (EIO, .unavailable),
        ] as [(CInt, FolderError.Code)]
    )
    func `and the code says why`(number: CInt, code: FolderError.Code) {
        let error = FolderError(SystemFailure(number: number), "/stick/ward")
        #expect(error.code == code)
        #expect(error.detail.contains("/stick/ward"))
        #expect(error.detail.hasSuffix("."))
    }
}
