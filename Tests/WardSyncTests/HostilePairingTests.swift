import Foundation
import Testing
import WardText
import WardVault

@testable import WardSync

/// What somebody who can write into a folder can put where devices are paired.
@Suite struct `A hostile folder for pairing` {
    private let folder: PairingFolderFixture
    private let request: PairingRequest
    private let now: Int64 = 1_700_000_000

    /// One good request is always there.
    init() throws {
        folder = try PairingFolderFixture()
        request = try folder.device(now).request
        try folder.place.post(request)
    }

    private var file: String { folder.path + "/" + Hex.encode(request.id) + ".request" }

    private var replyFile: String { folder.path + "/" + Hex.encode(request.id) + ".reply" }

    /// The name of a request that is before every other one.
    private var first: String { folder.path + "/" + String(repeating: "0", count: 32) + ".request" }

    /// Reads, expects the good request, and returns the troubles.
    private func troubles() throws -> [FolderTrouble] {
        let found = try folder.place.requests(now: now)
        #expect(found.requests == [request])
        return found.troubles
    }

    enum Stranger: String, CaseIterable, Sendable {
        case pipe, socket, folder, link, brokenLink, loop, huge

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
                #expect(unsafe truncate(path, 1 << 40) == 0)
            }
        }

        var reason: FolderTrouble.Reason {
            switch self {
            case .pipe, .socket, .folder: .notFile
            case .link, .brokenLink, .loop: .link
            case .huge: .tooLarge(size: 1 << 40)
            }
        }
    }

    // MARK: Requests

    @Test(arguments: Stranger.allCases)
    func `with something else in place of a request`(stranger: Stranger) throws {
        try stranger.put(at: first, besides: file)
        let found = try troubles()
        #expect(found == [FolderTrouble(.open, first, stranger.reason)])
        #expect(found.allSatisfy { $0.description.hasSuffix(".") })
    }

    @Test func `with a request one byte too long, and one that is just long enough`() throws {
        for (size, reason) in [
            (4_096, .request(VaultError(.damaged, ""))), (4_097, .tooLarge(size: 4_097)),
        ] as [(Int, FolderTrouble.Reason)] {
            try FolderFixture.put([UInt8](repeating: 0, count: size), at: first)
            #expect(try troubles().map(\.reason) == [reason])
        }
    }

    @Test func `with garbage, half a request and a request of a later version`() throws {
        var later = request.encoded
        later[6] = 2
        for (bytes, code) in [
            ([], .damaged), (Array("<html>".utf8), .damaged), (Array(request.encoded.dropLast()), .damaged),
            (later, .unknownVersion),
        ] as [([UInt8], VaultError.Code)] {
            try FolderFixture.put(bytes, at: first)
            let found = try troubles()
            #expect(found == [FolderTrouble(.check, first, .request(VaultError(code, "")))])
            #expect(found.allSatisfy { $0.description.hasSuffix(".") && !$0.description.hasSuffix("..") })
        }
    }

    /// The reply is written and removed by the ID.
    @Test func `with a request under another name`() throws {
        let names = [
            first, folder.path + "/" + Hex.encode(request.id, uppercase: true) + ".request",
            folder.path + "/" + Hex.encode(request.id) + ".sync-conflict-20261126-101010-ABCDEFG.request",
            folder.path + "/x.request",
        ]
        for name in names { try FolderFixture.put(request.encoded, at: name) }
        let found = try troubles()
        #expect(Set(found.map(\.path)) == Set(names) && found.allSatisfy { $0.reason == .misnamed })
    }

    @Test func `with names that are nothing to Ward`() throws {
        for name in [
            ".\(Hex.encode(request.id)).request.1a.tmp", ".syncthing.x.request", "x.reply", "x.request.bak", "x",
            ".request",
        ] {
            try Stranger.pipe.put(at: folder.path + "/" + name, besides: file)
        }
        #expect(try troubles().isEmpty)
    }

    @Test func `with names that would change a terminal, and that are not UTF-8`() throws {
        let start = Array(folder.path.utf8) + [0x2f]
        for name in [Array("\u{1b}[2J\nx\u{202e}.request".utf8), [0xff, 0xfe] + Array(".request".utf8)] {
            let path = (start + name + [0]).map { CChar(truncatingIfNeeded: $0) }
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            #expect(descriptor >= 0)
            _ = close(descriptor)
            let found = try troubles()
            #expect(found.count == 1 && found.allSatisfy { $0.path == $0.path.printable })
            #expect(unsafe unlink(path) == 0)
        }
    }

    @Test func `with more files than are read, and more requests than are offered`() throws {
        let files = (0..<1_030).map { folder.path + "/00000000000000000000000000\(100_000 + $0).request" }
        for file in files { try FolderFixture.put([0], at: file) }
        let found = try folder.place.requests(now: now)
        #expect(found.troubles.count == 1_025)
        #expect(found.troubles.first == FolderTrouble(.list, folder.path, .tooManyRequests))
        for file in files { try FolderFixture.remove(file) }
        // Old ones hide none.
        for _ in 0..<70 { try folder.place.post(folder.device(1).request) }
        let old = FolderTrouble(.check, folder.path, .oldRequests)
        #expect(try troubles() == [old])
        for age in 1...70 { try folder.place.post(folder.device(now - Int64(age)).request) }
        let offered = try folder.place.requests(now: now)
        #expect(offered.requests.count == 64 && offered.requests.first == request)
        #expect(offered.troubles == [old, FolderTrouble(.list, folder.path, .tooManyRequests)])
    }

    @Test(arguments: [Stranger.pipe, .link, nil])
    func `with a request that becomes something else after it was listed`(stranger: Stranger?) throws {
        let (name, good) = (first, file)
        try FolderFixture.put([1], at: name)
        let place = PairingFolder(folder: folder.root.path) { step in
            guard step == .open(name) else { return }
            try FolderFixture.remove(name)
            try stranger?.put(at: name, besides: good)
        }
        let found = try place.requests(now: now)
        #expect(found.requests == [request])
        #expect(found.troubles == [FolderTrouble(.open, name, stranger?.reason ?? .missing)])
    }

    // MARK: Replies

    @Test(arguments: Stranger.allCases)
    func `with something else in place of a reply`(stranger: Stranger) throws {
        try stranger.put(at: replyFile, besides: file)
        #expect(throws: FolderError(.blocked, "")) { try folder.place.reply(to: request) }
        // The reply of a member replaces what can be replaced, and not what a link leads to.
        if stranger == .folder {
            #expect(throws: FolderError(.blocked, "")) { try folder.place.post(reply: [1], to: request) }
        } else {
            try folder.place.post(reply: [1], to: request)
            #expect(try folder.place.reply(to: request) == [1])
        }
        #expect(try troubles().isEmpty)
        #expect(try folder.files().allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test func `with a reply one byte too long, and one that is just long enough`() throws {
        try FolderFixture.put([UInt8](repeating: 1, count: 16_384), at: replyFile)
        #expect(try folder.place.reply(to: request)?.count == 16_384)
        try FolderFixture.put([UInt8](repeating: 1, count: 16_385), at: replyFile)
        #expect(throws: FolderError(.blocked, "")) { try folder.place.reply(to: request) }
    }

    @Test func `with a reply that vanishes, or becomes a pipe`() throws {
        let name = replyFile
        for isPipe in [false, true] {
            try FolderFixture.put([1], at: name)
            let place = PairingFolder(folder: folder.root.path) { step in
                guard step == .open(name) else { return }
                try FolderFixture.remove(name)
                if isPipe { #expect(unsafe mkfifo(name, 0o600) == 0) }
            }
            if isPipe {
                #expect(throws: FolderError(.blocked, "")) { try place.reply(to: request) }
            } else {
                #expect(try place.reply(to: request) == nil)
            }
        }
    }

    // MARK: Folders

    @Test func `with a file or a link in place of a folder`() throws {
        let files = FileManager.default
        for place in [folder.path, folder.root.path + "/ward"] {
            let aside = folder.root.path + "/aside"
            try files.moveItem(atPath: place, toPath: aside)
            for reason in [FolderTrouble.Reason.link, .notFolder] {
                if reason == .link {
                    try files.createSymbolicLink(atPath: place, withDestinationPath: aside)
                } else {
                    try FolderFixture.put([1], at: place)
                }
                let found = try folder.place.requests(now: now)
                #expect(found.requests.isEmpty && found.troubles == [FolderTrouble(.open, place, reason)])
                #expect(throws: FolderError(.blocked, "")) { try folder.place.reply(to: request) }
                #expect(throws: FolderError(.blocked, "")) { try folder.place.post(request) }
                #expect(throws: FolderError(.blocked, "")) { try folder.place.post(reply: [1], to: request) }
                folder.place.remove(request)
                try FolderFixture.remove(place)
            }
            try files.moveItem(atPath: aside, toPath: place)
            #expect(try troubles().isEmpty)
        }
    }

    @Test func `that is not there, or is a file`() throws {
        for (path, code) in [(folder.root.path + "/missing", .missing), (file, .blocked)]
            as [(String, FolderError.Code)]
        {
            let place = PairingFolder(folder: path)
            #expect(throws: FolderError(code, "")) { try place.requests(now: now) }
            #expect(throws: FolderError(code, "")) { try place.reply(to: request) }
            #expect(throws: FolderError(code, "")) { try place.post(request) }
            #expect(throws: FolderError(code, "")) { try place.post(reply: [1], to: request) }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.root.path + "/missing"))
    }

    @Test(.enabled(if: getuid() != 0, "needs somebody who is not root"))
    func `with files that this user may not read`() throws {
        for path in [first, replyFile] {
            try FolderFixture.put([1], at: path)
            #expect(unsafe chmod(path, 0) == 0)
        }
        #expect(try troubles() == [FolderTrouble(.open, first, .denied)])
        #expect(throws: FolderError(.denied, "")) { try folder.place.reply(to: request) }
        #expect(unsafe chmod(folder.path, 0) == 0)
        defer { _ = unsafe chmod(folder.path, 0o700) }
        #expect(try folder.place.requests(now: now).troubles == [FolderTrouble(.open, folder.path, .denied)])
    }
}
