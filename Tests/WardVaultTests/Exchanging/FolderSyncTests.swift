import Foundation
import Synchronization
import Testing
import WardLog
import WardSync
import WardVault

/// Vaults on several devices that sync through one folder.
@Suite struct `A sync with a folder` {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ward-sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The folder in which a device writes.
    private func place(of vault: Vault, in folder: URL) async throws -> String {
        let device = try await vault.thisDevice().bytes.map { String(format: "%02x", $0) }.joined()
        let id = vault.id.bytes.map { String(format: "%02x", $0) }.joined()
        return folder.appendingPathComponent("ward/\(id)/\(device)").path
    }

    private func names(in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place).sorted()
    }

    private func cut(_ path: String) throws {
        let file = URL(fileURLWithPath: path)
        try Data(contentsOf: file).dropLast(5).write(to: file)
    }

    @Test func `gives ten devices the same items, and then does nothing`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 10) { try await $0.add(Item(title: "first")) }
        let shared = try #require(try await world.items(0).keys.first)
        let syncs = world.vaults.map { FolderSync($0, with: FolderRemote(folder: folder.path, vault: $0.id)) }
        var numbers = ExchangeFixture.Numbers(state: 1)
        for round in 0..<3 {
            for number in (0..<10).shuffled(using: &numbers) {
                try await world[number].edit(shared) { $0.tags.append("\(number)/\(round)") }
                try await world[number].add(Item(title: "\(number)/\(round)"))
                let report = try await syncs[number].run()
                #expect(report.troubles.isEmpty && report.folderTroubles.isEmpty)
            }
        }
        for sync in syncs + syncs { _ = try await sync.run() }
        let items = try await world.items(0)
        #expect(items.count == 31)
        for number in 0..<10 {
            #expect(try await world.items(number) == items)
            let report = try await syncs[number].run()
            #expect(report.taken == 0 && report.written == 0 && report.items.isEmpty && report.missing.isEmpty)
        }
        _ = try await world[9].verifyLog()
        try await world.close()
    }

    @Test func `takes what a full disk refused when there is room again`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 2)
        let syncs = world.vaults.map { FolderSync($0, with: FolderRemote(folder: folder.path, vault: $0.id)) }
        for sync in syncs { _ = try await sync.run() }
        try await world[0].add(Item(title: "large", notes: SecretText(String(repeating: "x", count: 200_000))))
        _ = try await syncs[0].run()
        try await world[1].limitPages(to: 1)
        await #expect(throws: VaultError(.diskFull, "")) { try await syncs[1].run() }
        try await world[1].limitPages(to: 1 << 30)
        #expect(try await syncs[1].run().taken == 1)
        #expect(try await world.items(1) == world.items(0))
        try await world.close()
    }

    /// Whatever a sync was stopped at, the next one ends it.
    @Test func `goes on where it was stopped`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        for number in 0..<5 { try await world[0].add(Item(title: "\(number)")) }
        let steps = Steps()
        var stops = 0
        for budget in 0..<6 {
            let folder = try folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            steps.start(budget)
            let id = world[0].id
            let stopped = FolderSync(
                world[0],
                with: FolderRemote(folder: folder.path, vault: id) { _ in try steps.take() }
            )
            if (try? await stopped.run()) == nil { stops += 1 }
            let sync = FolderSync(world[0], with: FolderRemote(folder: folder.path, vault: id))
            _ = try await sync.run()
            var found: Set<[UInt8]> = []
            let troubles = FolderRemote(folder: folder.path, vault: id).read(skipping: { _ in false }) { segment in
                found.formUnion(segment.records.map(\.entry.hash))
            }
            #expect(try await world[0].ownEntries() == found && troubles.isEmpty, "\(budget)")
        }
        #expect(stops >= 3)
        try await world.close()
    }

    @Test func `neither takes nor writes once it is cancelled`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 2)
        let id = world[0].id
        try await world[0].add(Item(title: "one"))
        let remote = FolderRemote(folder: folder.path, vault: id)
        _ = try await FolderSync(world[0], with: remote).run()
        try await world[1].add(Item(title: "two"))
        let sync = FolderSync(world[1], with: remote)
        let run = Task {
            // It begins only when it is cancelled.
            try? await Task.sleep(for: .seconds(600))
            return try await sync.run()
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { _ = try await run.value }
        #expect(try await world.items(1).count == 1)
        #expect(try await FolderSync(world[0], with: remote).run().taken == 0)
        // The next one does both.
        #expect(try await sync.run().written > 0)
        #expect(try await world.items(1).count == 2)
        try await world.close()
    }

    @Test func `takes what is right from a damaged folder, and says what is not`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 2)
        let id = world[0].id
        let sync = FolderSync(world[0], with: FolderRemote(folder: folder.path, vault: id))
        try await world[0].add(Item(title: "one"))
        _ = try await sync.run()
        try await world[0].add(Item(title: "two"))
        _ = try await sync.run()
        let place = try await place(of: world[0], in: folder)
        let names = try names(in: place)
        #expect(names.count == 2)
        let path = place + "/" + names[1]
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[bytes.count - 30] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let other = FolderSync(world[1], with: FolderRemote(folder: folder.path, vault: id))
        var report = try await other.run()
        #expect(report.folderTroubles.count == 1)
        #expect(try await world.items(1).count == 1)
        // The device that wrote it writes it again, once it looks.
        let again = FolderSync(world[0], with: FolderRemote(folder: folder.path, vault: id))
        #expect(try await again.run().written >= 1)
        report = try await other.run()
        #expect(report.folderTroubles.isEmpty)
        #expect(try await world.items(1).count == 2)
        try await world.close()
    }

    /// The same sync goes on, as that of a vault which stays open.
    @Test(arguments: [false, true], [0, 1, 2])
    func `writes again what was lost or damaged in its own folder`(isLost: Bool, number: Int) async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 1)
        let remote = FolderRemote(folder: folder.path, vault: world[0].id)
        let sync = FolderSync(world[0], with: remote)
        for title in ["one", "two", "three"] {
            try await world[0].add(Item(title: title))
            #expect(try await sync.run().written >= 1)
        }
        let place = try await place(of: world[0], in: folder)
        let names = try names(in: place)
        #expect(names.count == 3)
        let path = place + "/" + names[number]
        if isLost { try FileManager.default.removeItem(atPath: path) } else { try cut(path) }
        let report = try await sync.run()
        #expect(report.written >= 1 && report.folderTroubles.isEmpty)
        // No other device is told of it again and again.
        let (records, troubles) = try remote.allRecords()
        #expect(try await Set(records.map(\.entry.hash)) == world[0].ownEntries() && troubles.isEmpty)
        let next = try await sync.run()
        #expect(next.written == 0 && next.folderTroubles.isEmpty)
        try await world.close()
    }

    @Test func `carries again what a removed device wrote, if the file is damaged`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await CircleWorld.met(3)
        let removed = try await world.id(2)
        try await world[0].removeDevices(
            [removed],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        let remote = FolderRemote(folder: folder.path, vault: world[0].id)
        let sync = FolderSync(world[0], with: remote)
        _ = try await sync.run()
        let place = try await place(of: world[0], in: folder)
        let carried = try #require(try names(in: place).first { $0.hasPrefix("from-") })
        try cut(place + "/" + carried)
        #expect(try await sync.run().folderTroubles.isEmpty)
        #expect(try await sync.run().written >= 1)
        let (records, troubles) = try remote.allRecords()
        #expect(troubles.isEmpty && records.contains { $0.entry.entry.device == removed })
        #expect(try await sync.run().written == 0)
        try await world.close()
    }

    /// All of it does not have to be in memory, and other requests to the vault need not wait.
    @Test func `carries one segment after the other, and stops when it is cancelled`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await CircleWorld.met(3)
        let removed = try await world.id(2)
        let notes = SecretText(String(repeating: "x", count: 800_000))
        for number in 0..<12 { try await world[2].add(Item(title: "\(number)", notes: notes)) }
        try await world.meet()
        try await world[0].removeDevices(
            [removed],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        let cancels = Atomic(true)
        let remote = FolderRemote(folder: folder.path, vault: world[0].id) { step in
            guard case .create(let path) = step, path.contains("/from-"), cancels.load(ordering: .relaxed) else {
                return
            }
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
        let sync = FolderSync(world[0], with: remote)
        let run = Task { try await sync.run() }
        await #expect(throws: CancellationError.self) { _ = try await run.value }
        let place = try await place(of: world[0], in: folder)
        #expect(try names(in: place).count { $0.hasPrefix("from-") } == 1)
        cancels.store(false, ordering: .relaxed)
        _ = try await sync.run()
        #expect(try names(in: place).count { $0.hasPrefix("from-") } == 2)
        let carried = Set(try remote.allRecords().records.map(\.entry.hash))
        let everything = try await world[2].records(after: 0, limit: .max)
        #expect(everything.count > 12 && everything.allSatisfy { carried.contains($0.entry.hash) })
        try await world.close()
    }

    /// Something that only looks like a segment is left there, and costs one look.
    @Test func `leaves a damaged file of another name, and says so`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await ExchangeFixture(devices: 1)
        let opened = Mutex(0)
        let remote = FolderRemote(folder: folder.path, vault: world[0].id) { step in
            if case .open = step { opened.withLock { $0 += 1 } }
        }
        let sync = FolderSync(world[0], with: remote)
        _ = try await sync.run()
        let place = try await place(of: world[0], in: folder)
        let file = try #require(try names(in: place).first)
        try FileManager.default.copyItem(atPath: place + "/" + file, toPath: place + "/copy.seg")
        try cut(place + "/copy.seg")
        for _ in 0..<2 {
            let report = try await sync.run()
            #expect(report.written == 0 && report.folderTroubles.count == 1)
        }
        opened.withLock { $0 = 0 }
        #expect(try await sync.run().folderTroubles.count == 1)
        #expect(opened.withLock { $0 } == 1)
        try await world.close()
    }
}

/// Lets a number of steps pass.
private final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var left = Int.max

    func start(_ budget: Int) { lock.withLock { left = budget } }

    func take() throws {
        try lock.withLock {
            guard left > 0 else { throw VaultError(.diskFull, "") }
            left -= 1
        }
    }
}
