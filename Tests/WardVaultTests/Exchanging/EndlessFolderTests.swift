import Foundation
import Synchronization
import Testing
import WardLog

@testable import WardSync
@testable import WardVault

/// Who always has something to read for a device does not keep it from writing.
@Suite struct `A folder without an end` {
    /// How often the files are changed: a device that reads them again and again comes to an end all the same.
    private static let most = 40

    /// Two devices, one of which has something to write, and four segments of a stranger. They do not fit into one batch.
    private func begin() async throws -> (world: CircleWorld, place: String) {
        let world = try await CircleWorld.met(2)
        try await world[0].add(Item(title: "mine"))
        let remote = FolderRemote(folder: world.folder.path, vault: world[0].id)
        let blob = [UInt8](repeating: 7, count: 1_100_000)
        try remote.write(LogRecord.forged(1...28, blob: blob), of: LogRecord.forger)
        let place = remote.path(FolderRemote.name(of: LogRecord.forger))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).count == 4)
        return (world, place)
    }

    /// The folder; a function is called before each file of the stranger is opened, with the file and how many were opened.
    private func remote(
        _ world: CircleWorld,
        _ place: String,
        _ body: @escaping @Sendable (String, Int) throws -> Void
    ) -> FolderRemote {
        let opened = Atomic(0)
        return FolderRemote(folder: world.folder.path, vault: world[0].id) { step in
            guard case .open(let path) = step, path.hasPrefix(place) else { return }
            try body(path, opened.add(1, ordering: .relaxed).newValue)
        }
    }

    /// The files of the stranger, without one of them.
    private static func others(than path: String, in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place).sorted().map { place + "/" + $0 }.filter {
            $0 != path
        }
    }

    /// A vault has up to 256 devices in its life, and anybody can add folders.
    @Test func `with more folders than are read has those of the members all the same`() async throws {
        let world = try await CircleWorld.met(2)
        let remote = FolderRemote(folder: world.folder.path, vault: world[0].id)
        // They are before all others.
        for number in 0..<70 {
            try FileManager.default.createDirectory(
                atPath: remote.path(FileName("!\(number)")),
                withIntermediateDirectories: false
            )
        }
        try await world[1].add(Item(title: "theirs"))
        for number in [1, 0] {
            let report = try await world.sync(number)
            #expect(report.folderTroubles.map(\.reason) == [.tooManyDevices])
        }
        #expect(try await world.titles(0) == ["before", "theirs"])
        try await world.join(by: 0)
        #expect(try await world.titles(2) == ["before", "theirs"])
        try await world.close()
    }

    @Test func `whose files somebody touches all the time is read once in a run`() async throws {
        let (world, place) = try await begin()
        let opened = Mutex(0)
        let remote = remote(world, place) { path, count in
            opened.withLock { $0 = count }
            guard count < Self.most else { return }
            for other in try Self.others(than: path, in: place) {
                let date = Date(timeIntervalSince1970: Double(count))
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: other)
            }
        }
        let report = try await FolderSync(world[0], with: remote).run()
        #expect(report.written == 1 && report.folderTroubles.isEmpty)
        // One is opened and left to the next batch.
        #expect(opened.withLock { $0 } == 5)
        try await world.sync(1)
        #expect(try await world.titles(1).contains("mine"))
        try await world.close()
    }

    @Test func `whose files always have new names is read for an hour, and then this device writes`() async throws {
        let (world, place) = try await begin()
        let opened = Mutex(0)
        let clock = Mutex(ContinuousClock.now)
        let remote = remote(world, place) { path, count in
            opened.withLock { $0 = count }
            guard count < Self.most else { return }
            clock.withLock { $0 += .seconds(600) }
            // After a batch.
            guard count.isMultiple(of: 4) else { return }
            for (number, other) in try Self.others(than: path, in: place).enumerated() {
                try FileManager.default.moveItem(atPath: other, toPath: "\(place)/\(count)-\(number).seg")
            }
        }
        let sync = FolderSync(world[0], with: remote, now: { clock.withLock { $0 } })
        let report = try await sync.run()
        #expect(report.written == 1)
        #expect(report.folderTroubles.map(\.reason) == [.takesTooLong])
        #expect(opened.withLock { $0 } == 6)
        try await world.sync(1)
        #expect(try await world.titles(1).contains("mine"))
        // The next run goes on.
        opened.withLock { $0 = 0 }
        #expect(try await sync.run().written == 0)
        #expect(opened.withLock { $0 } > 6)
        try await world.close()
    }
}
