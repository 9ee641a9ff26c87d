import Foundation
import Synchronization
import Testing
import WardVault

/// Below SQLite: its own writes refused, lost or torn.
@Suite(.serialized) struct `Disks` {
    /// A fixture whose vault lies on the faulty disk.
    private func fixture() throws -> (fixture: VaultFixture, location: VaultLocation) {
        #expect(FaultyDisk.isInstalled)
        FaultyDisk.state.withLock { $0 = FaultyDisk.State() }
        let fixture = try VaultFixture()
        return (fixture, VaultFixture.location(fixture.folder.appendingPathComponent("faulty", isDirectory: true)))
    }

    private func add(_ count: Int, to vault: Vault, _ acknowledged: inout Set<ItemID>) async throws {
        for number in 0..<count {
            let item = Item(title: "item \(number)", notes: SecretText(String(repeating: "n", count: number % 5 * 300)))
            try await vault.add(item)
            acknowledged.insert(item.id)
        }
    }

    private func unlocked(_ fixture: VaultFixture, _ location: VaultLocation) async throws -> Vault {
        let vault = try Vault.open(at: location, environment: fixture.environment)
        do {
            try await vault.unlock(with: VaultFixture.passphrase())
        } catch {
            try? await vault.close()
            throw error
        }
        return vault
    }

    @Test(arguments: [true, false])
    func `refusing at the n-th write: a named error, and nothing acknowledged is lost`(once: Bool) async throws {
        let (fixture, location) = try fixture()
        let vault = try await Vault.create(
            at: location,
            passphrase: VaultFixture.passphrase(),
            environment: fixture.environment
        ).vault
        try await vault.close()
        var acknowledged: Set<ItemID> = []
        var attempted: Set<ItemID> = []
        for limit in 0..<60 {
            FaultyDisk.state.withLock { $0.budget = nil }
            var vault = try await unlocked(fixture, location)
            #expect(try await acknowledged.isSubset(of: Set(vault.summaries().map(\.id))), "limit \(limit)")
            FaultyDisk.state.withLock { state in
                state.budget = limit
                state.failsOnce = once
            }
            for number in 0..<6 {
                let item = Item(title: "item \(number)", notes: SecretText(String(repeating: "n", count: number * 300)))
                attempted.insert(item.id)
                do {
                    try await vault.add(item)
                    acknowledged.insert(item.id)
                } catch {
                    #expect((error as? VaultError).map { [.diskFull, .unavailable].contains($0.code) } == true)
                }
            }
            try? await vault.close()
            FaultyDisk.state.withLock { $0.budget = nil }
            vault = try await unlocked(fixture, location)
            let found = try await Set(vault.summaries().map(\.id))
            #expect(acknowledged.isSubset(of: found), "limit \(limit)")
            #expect(found.isSubset(of: attempted))
            #expect(try await vault.verifyLog().revisions == found.count)
            try await vault.close()
        }
    }

    @Test func `losing its power at any write, with whatever had not been flushed kept or lost`() async throws {
        let (fixture, location) = try fixture()
        var vault = try await Vault.create(
            at: location,
            passphrase: VaultFixture.passphrase(),
            environment: fixture.environment
        ).vault
        try await vault.close()
        let names = [location.database, location.secretKey, location.device]
        let start = try Dictionary(uniqueKeysWithValues: names.map { ($0, try fixture.read($0)) })

        // The day, with what was acknowledged and remembered before each step of the disk.
        let acknowledged = Mutex<Set<ItemID>>([])
        let moments = Mutex<[(acknowledged: Set<ItemID>, head: [UInt8])]>([])
        FaultyDisk.state.withLock { state in
            state.isRecording = true
            state.observer = {
                let head = (try? Data(contentsOf: URL(fileURLWithPath: location.head))).map { [UInt8]($0) } ?? []
                moments.withLock { $0.append((acknowledged.withLock { $0 }, head)) }
            }
        }
        vault = try await unlocked(fixture, location)
        for number in 0..<8 {
            let item = Item(title: "item \(number)", notes: SecretText(String(repeating: "n", count: number % 4 * 400)))
            try await vault.add(item)
            _ = acknowledged.withLock { $0.insert(item.id) }
            if number == 4 {
                await vault.lock()
                try await vault.unlock(with: VaultFixture.passphrase())
            }
        }
        try await vault.close()
        let steps = FaultyDisk.state.withLock { state in
            defer { state = FaultyDisk.State() }
            return state.steps
        }
        let all = moments.withLock { $0 }
        #expect(steps.count == all.count)
        #expect(steps.count > 40)

        var image = DiskImage(start)
        let folder = fixture.folder.appendingPathComponent("after", isDirectory: true)
        let after = VaultFixture.location(folder)
        for (number, moment) in all.enumerated() {
            for (label, keeps) in [
                ("nothing", { _ in false }), ("everything", { _ in true }), ("every other", { $0 % 2 == 0 }),
                ("the others", { $0 % 2 == 1 }), ("the first half", { $0 < 2 }),
            ] as [(String, (Int) -> Bool)] {
                try? FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(atPath: after.directory, withIntermediateDirectories: true)
                try FileManager.default.createDirectory(atPath: after.stateDirectory, withIntermediateDirectories: true)
                for (path, bytes) in image.contents(keeping: keeps) {
                    try fixture.write(bytes, to: path.replacing("/faulty/", with: "/after/"))
                }
                try fixture.write(moment.head, to: after.head)
                let vault = try await unlocked(fixture, after)
                let found = try await Set(vault.summaries().map(\.id))
                #expect(moment.acknowledged.isSubset(of: found), "step \(number), keeping \(label)")
                #expect(found.count <= moment.acknowledged.count + 1)
                #expect(try await vault.verifyLog().revisions == found.count)
                try await vault.close()
            }
            image.apply(steps[number])
        }
    }

    @Test func `full: a clear error, nothing lost, and room again`() async throws {
        let (fixture, location) = try fixture()
        let vault = try await Vault.create(
            at: location,
            passphrase: VaultFixture.passphrase(),
            environment: fixture.environment
        ).vault
        var acknowledged: Set<ItemID> = []
        try await add(10, to: vault, &acknowledged)
        try await vault.limitPages(to: 1)
        var refusals = 0
        for number in 0..<10 {
            do {
                let item = Item(title: "more \(number)", notes: SecretText(String(repeating: "m", count: 3000)))
                try await vault.add(item)
                acknowledged.insert(item.id)
            } catch {
                #expect((error as? VaultError)?.code == .diskFull)
                refusals += 1
            }
        }
        #expect(refusals == 10)
        #expect(try await Set(vault.summaries().map(\.id)) == acknowledged)
        #expect(try await vault.verifyLog().revisions == acknowledged.count)
        try await vault.limitPages(to: 1 << 30)
        try await add(1, to: vault, &acknowledged)
        try await vault.close()
        let again = try await unlocked(fixture, location)
        #expect(try await Set(again.summaries().map(\.id)) == acknowledged)
        try await again.close()
    }
}
