import Foundation
import Testing

@testable import WardSync

/// What somebody who can write into a folder can put there.
@Suite struct `A hostile folder` {
    private let folder: FolderFixture
    private let device: DeviceFixture
    private let own: String

    /// One good segment is always there.
    init() throws {
        folder = try FolderFixture()
        device = DeviceFixture(folder.vault)
        own = folder.folder(of: device.id)
        try folder.remote.write(try device.write(2), of: device.id)
    }

    /// Reads, expects the good segment, and returns the troubles.
    private func troubles() -> [FolderTrouble] {
        let found = folder.read()
        #expect(found.records == device.records)
        return found.troubles
    }

    // MARK: In place of a segment

    enum Stranger: String, CaseIterable, Sendable {
        case pipe, socket, folder, link, brokenLink, loop, huge, empty, garbage

        var reason: FolderTrouble.Reason {
            switch self {
            case .pipe, .socket, .folder: .notFile
            case .link, .brokenLink, .loop: .link
            case .huge: .tooLarge(size: SegmentLimits.segment + 1)
            case .empty, .garbage: .segment(.malformed(at: 0))
            }
        }

        func put(at path: String, besides good: String) throws {
            let files = FileManager.default
            switch self {
            case .pipe: #expect(unsafe mkfifo(path, 0o600) == 0)
            case .socket: #expect(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
            case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: good)
            case .brokenLink: try files.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
            case .loop: try files.createSymbolicLink(atPath: path, withDestinationPath: path)
            case .huge:
                try FolderFixture.put([0x85], at: path)
                #expect(unsafe truncate(path, SegmentLimits.segment + 1) == 0)
            case .empty: try FolderFixture.put([], at: path)
            case .garbage: try FolderFixture.put(Array("<html>Sign in to the network</html>".utf8), at: path)
            }
        }
    }

    @Test(arguments: Stranger.allCases)
    func `with something else in place of a segment`(stranger: Stranger) throws {
        let path = own + "/0.seg"
        try stranger.put(at: path, besides: own + "/" + FolderFixture.name(1, 2))
        let found = troubles()
        #expect(found.map(\.reason) == [stranger.reason])
        #expect(found.map(\.path) == [path])
        #expect(found.allSatisfy { $0.description.hasPrefix(path + ": ") && $0.description.hasSuffix(".") })
    }

    @Test func `with 8 MiB of zeros in place of a segment`() throws {
        let path = own + "/0.seg"
        try FolderFixture.put([], at: path)
        #expect(unsafe truncate(path, SegmentLimits.segment) == 0)
        #expect(troubles().map(\.reason) == [.segment(.malformed(at: 0))])
    }

    @Test func `with a file that vanishes after it was listed`() throws {
        let name = own + "/9.seg"
        try FolderFixture.put([1], at: name)
        let watched = folder.watched { step in
            if step == .open(name) { try FolderFixture.remove(name) }
        }
        let found = FolderFixture.read(watched)
        #expect(found.records == device.records)
        #expect(found.troubles == [FolderTrouble(.open, name, .missing)])
    }

    @Test func `with a file that becomes a link after it was listed`() throws {
        let name = own + "/9.seg"
        let good = own + "/" + FolderFixture.name(1, 2)
        try FolderFixture.put([1], at: name)
        let watched = folder.watched { step in
            guard step == .open(name) else { return }
            try FolderFixture.remove(name)
            try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: good)
        }
        #expect(FolderFixture.read(watched).troubles == [FolderTrouble(.open, name, .link)])
    }

    @Test func `with a file that becomes a pipe after it was listed`() throws {
        let name = own + "/9.seg"
        try FolderFixture.put([1], at: name)
        let watched = folder.watched { step in
            guard step == .open(name) else { return }
            try FolderFixture.remove(name)
            #expect(unsafe mkfifo(name, 0o600) == 0)
        }
        #expect(FolderFixture.read(watched).troubles == [FolderTrouble(.open, name, .notFile)])
    }

    @Test func `with names that would change a terminal`() throws {
        let path = own + "/\u{1b}[2J\nx\u{202e}.seg"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        _ = close(descriptor)
        let found = troubles()
        #expect(unsafe unlink(path) == 0)
        #expect(found.map(\.path) == [own + "/?[2J?x?.seg"])
    }

    @Test func `with names that are not UTF-8`() throws {
        let name = Array(own.utf8) + [0x2f, 0xff, 0xfe] + Array(".seg".utf8) + [0]
        let path = name.map { CChar(truncatingIfNeeded: $0) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        _ = close(descriptor)
        let found = troubles()
        #expect(unsafe unlink(path) == 0)
        #expect(found.map(\.reason) == [.segment(.malformed(at: 0))])
        #expect(found.first?.path.hasSuffix(".seg") == true)
    }

    // MARK: In place of a folder

    @Test func `with a file or a link in place of the folder of a device`() throws {
        let (file, link) = (folder.vaultFolder + "/x1", folder.vaultFolder + "/x2")
        try FolderFixture.put([1], at: file)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
        #expect(troubles() == [FolderTrouble(.open, file, .notFolder), FolderTrouble(.open, link, .link)])
    }

    @Test func `with a file or a link in place of the folder of the vault`() throws {
        let files = FileManager.default
        for place in [folder.vaultFolder, folder.path + "/ward"] {
            let aside = folder.path + "/aside"
            try files.moveItem(atPath: place, toPath: aside)
            try files.createSymbolicLink(atPath: place, withDestinationPath: aside)
            #expect(folder.read().troubles == [FolderTrouble(.open, place, .link)])
            #expect(folder.read().segments.isEmpty)
            try FolderFixture.remove(place)
            try FolderFixture.put([1], at: place)
            #expect(folder.read().troubles == [FolderTrouble(.open, place, .notFolder)])
            try FolderFixture.remove(place)
            try files.moveItem(atPath: aside, toPath: place)
        }
        #expect(troubles().isEmpty)
    }

    @Test func `that is not there, or is a file`() throws {
        let missing = FolderRemote(folder: folder.path + "/missing", vault: folder.vault)
        #expect(FolderFixture.read(missing).troubles == [FolderTrouble(.open, folder.path + "/missing", .missing)])
        let file = own + "/" + FolderFixture.name(1, 2)
        let found = FolderFixture.read(FolderRemote(folder: file, vault: folder.vault))
        #expect(found.troubles == [FolderTrouble(.open, file, .notFolder)])
    }

    @Test(.enabled(if: getuid() != 0, "needs somebody who is not root"))
    func `with files and folders that this user may not read`() throws {
        let (file, closed) = (own + "/0.seg", folder.vaultFolder + "/x")
        try FolderFixture.put([1], at: file)
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
        for path in [file, closed] { #expect(unsafe chmod(path, 0) == 0) }
        defer { for path in [file, closed] { _ = unsafe chmod(path, 0o700) } }
        #expect(troubles() == [FolderTrouble(.open, file, .denied), FolderTrouble(.open, closed, .denied)])
    }

    // MARK: Too much

    @Test func `with more than 64 folders of devices`() throws {
        for number in 100..<164 {
            let path = folder.vaultFolder + "/x\(number)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try FolderFixture.put([], at: path + "/0.seg")
        }
        let found = troubles()
        #expect(found.first == FolderTrouble(.list, folder.vaultFolder, .tooManyDevices))
        #expect(found.count == FolderLimits.devices)
        try FolderFixture.remove(folder.vaultFolder + "/x163")
        #expect(!troubles().map(\.reason).contains(.tooManyDevices))
    }

    @Test func `with more than 4,096 segments of a device`() throws {
        for number in 0..<FolderLimits.segments { try FolderFixture.put([], at: own + "/x\(number).seg") }
        let found = troubles()
        #expect(found.first == FolderTrouble(.list, own, .tooManySegments))
        #expect(found.count == FolderLimits.segments)
        try FolderFixture.remove(own + "/x0.seg")
        #expect(!troubles().map(\.reason).contains(.tooManySegments))
    }

    @Test func `with more than 65,536 files`() throws {
        for number in 0..<FolderLimits.files {
            let descriptor = unsafe open(own + "/x\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            _ = close(descriptor)
        }
        #expect(folder.read().troubles == [FolderTrouble(.list, own, .tooManyFiles)])
        #expect(throws: FolderError(.tooManyFiles, "")) {
            try folder.remote.write(try device.write(), of: device.id)
        }
    }
}
