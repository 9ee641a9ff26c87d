import Foundation
import Testing
@testable import WardLog
import WardSync

@testable import WardVault

/// A device of a circle whose vault was restored or copied, or whose passphrase was forgotten.
@Suite struct `A restored vault of a circle` {
    /// The state of a device's files.
    private func folders(_ fixture: VaultFixture, from copy: URL) throws {
        for name in ["data", "state"] {
            let place = fixture.folder.appendingPathComponent(name)
            try FileManager.default.removeItem(at: place)
            try FileManager.default.copyItem(at: copy.appendingPathComponent(name), to: place)
        }
    }

    /// Puts an older vault file in place.
    private func putBack(_ copy: URL, _ fixture: VaultFixture) throws {
        try fixture.remove(fixture.location.database)
        try FileManager.default.copyItem(atPath: copy.path + "/data/vault.db", toPath: fixture.location.database)
    }

    /// A circle whose second device goes back to a copy, and is closed; what it wrote since is in the folder.
    private func goneBack() async throws -> (world: CircleWorld, device: DeviceID) {
        let world = try await CircleWorld(devices: 2)
        let device = try await world.id(1)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        try await world[1].add(Item(title: "after the copy"))
        try await world.sync(1)
        try await world[1].close()
        try putBack(old, world.fixtures[1])
        return (world, device)
    }

    @Test func `stays the device that it was, and writes when it has everything again`() async throws {
        let (world, before) = try await goneBack()
        #expect(await world.fixtures[1].refusal() == .rolledBack)
        try await world.reopen(1, trusting: .thisFile)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        try await world.reopen(1)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        #expect(try await world.sync(1).taken == 1)
        #expect(try await world.id(1) == before)
        try await world[1].add(Item(title: "again"))
        try await world.meet()
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["after the copy", "again", "before"], "\(number)")
            _ = try await world[number].verifyLog()
        }
        #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules })
        try await world.close()
    }

    @Test func `does not write beside itself when a recovery key opens it, but as a new device`() async throws {
        let (world, before) = try await goneBack()
        try await world.reopen(1, trusting: .thisFile)
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        #expect(try await world.id(1) != before)
        #expect(await world[1].formerDevice == before)
        // The recovery key has opened every key, also those that the other device has.
        #expect(try await world.overview(1).devices.allSatisfy { !$0.lacksKey })
        try await world[1].add(Item(title: "again"))
        try await world.sync(1)
        try await world.sync(0)
        try await world.sync(1)
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["after the copy", "again", "before"], "\(number)")
            _ = try await world[number].verifyLog()
        }
        #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules })
        #expect(try await world.overview(0).devices.count { $0.status == .member } == 3)
        try await world.close()
    }

    @Test func `waits for what it wrote itself, and not only for what it saw last`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        let before = try await world[1].lastOwnSequence()
        try await world[1].add(Item(title: "mine"))
        let own = try await world[1].records(after: before)
        try await world[0].add(Item(title: "seen last"))
        _ = try await world[1].take(world[0].records(after: 0))
        try await world[1].close()
        try putBack(old, world.fixtures[1])
        try await world.reopen(1, trusting: .thisFile)
        #expect(try await world[1].take(world[0].records(after: 0)).taken == 1)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        #expect(try await world[1].take(own).taken == 1)
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        for number in 0..<2 { #expect(try await world.titles(number) == ["before", "mine", "seen last", "yes"]) }
        #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules })
        try await world.close()
    }

    @Test func `waits for the last of its own entries, if they come in parts`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        let (mine, theirs) = (try await world[1].lastOwnSequence(), try await world[0].lastOwnSequence())
        for title in ["first", "last"] {
            try await world[0].add(Item(title: "before the \(title)"))
            _ = try await world[1].take(world[0].records(after: theirs))
            try await world[1].add(Item(title: title))
        }
        let own = try await world[1].records(after: mine)
        let others = try await world[0].records(after: theirs)
        try await world[1].close()
        // Everything of the device is restored, so it does not know that it was.
        try folders(world.fixtures[1], from: old)
        try await world.reopen(1)
        #expect(try await world[1].take([own[0]]).taken == 0)
        #expect(try await world[1].take([own[0], others[0], own[1]]).taken == 2)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        #expect(try await world[1].take([others[1], own[1]]).taken == 2)
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        #expect(try await world.titles(0).contains("yes"))
        #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules })
        try await world.close()
    }

    @Test func `waits for the last of its own entries, if their data comes later and in parts`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        let before = try await world[1].lastOwnSequence()
        for title in ["first", "middle", "last"] { try await world[1].add(Item(title: title)) }
        let own = try await world[1].records(after: before)
        let bare = own.map { LogRecord(entry: $0.entry, blob: nil) }
        try await world[1].close()
        try folders(world.fixtures[1], from: old)
        try await world.reopen(1)
        // Each page comes with what waits since the one before.
        for count in 1...3 { #expect(try await world[1].take(Array(bare.prefix(count))).taken == 0) }
        for record in own {
            await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
            #expect(try await world[1].take([record]).taken == 1)
        }
        try await world[1].add(Item(title: "yes"))
        try await world.close()
    }

    @Test func `does not keep the device that takes its place waiting`() async throws {
        let (world, before) = try await goneBack()
        try await world.reopen(1, trusting: .thisFile)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        try await world[1].close()
        let fixture = world.fixtures[1]
        #expect(FileManager.default.fileExists(atPath: fixture.location.awaited))
        // Its folder is moved away, and what it wrote since the copy is lost.
        try fixture.remove(fixture.location.database)
        try await world.join(by: 0, at: fixture)
        #expect(try await world.id(2) != before)
        try await world[2].add(Item(title: "yes"))
        #expect(!FileManager.default.fileExists(atPath: fixture.location.awaited))
        try await world[0].close()
        try await world[2].close()
    }

    @Test func `goes on without what is lost if the person says so`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        try await world[1].add(Item(title: "lost"))
        try await world[1].close()
        try putBack(old, world.fixtures[1])
        try await world.reopen(1, trusting: .thisFile)
        try await world.sync(1)
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await world[1].add(Item(title: "no")) }
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await world[1].acceptRestored(VaultFixture.passphrase("no"))
        }
        try await world[1].acceptRestored(VaultFixture.passphrase())
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        #expect(try await world.titles(0) == ["before", "yes"])
        try await world.close()
    }

    /// A recovery key makes it a new device. What the earlier one waited for, and a pending file of it, are nothing to the new one.
    @Test(arguments: [false, true])
    func `does not wait for what an earlier device lost if a recovery key restored it`(isPending: Bool) async throws {
        let world = try await CircleWorld(devices: 2)
        let before = try await world.id(1)
        let fixture = world.fixtures[1]
        let path = fixture.folder.path + "/backup.db"
        _ = try await world[1].backUp(BackupRequest(path: path))
        try await world[1].add(Item(title: "lost"))
        try await world[1].close()
        func restoration(needsSecretKey: Bool) throws -> VaultRestoration {
            try VaultRestoration(
                from: path,
                at: fixture.location,
                secretKey: nil,
                needsSecretKey: needsSecretKey,
                environment: fixture.environment
            )
        }
        let first = try restoration(needsSecretKey: true)
        try await first.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        let waiting = try await first.place(replacing: true).vault
        await #expect(throws: VaultError(.vaultIncomplete, "")) { try await waiting.add(Item(title: "no")) }
        try await waiting.close()
        #expect(FileManager.default.fileExists(atPath: fixture.location.awaited))
        if isPending { try fixture.write(fixture.read(fixture.location.device), to: fixture.location.pendingDevice) }

        let second = try restoration(needsSecretKey: false)
        try await second.vault.recover(
            with: world.recoveryKey,
            newPassphrase: VaultFixture.passphrase("recovered"),
            trusting: .thisFile
        )
        let placed = try await second.place(replacing: true).vault
        try await placed.add(Item(title: "yes"))
        try await placed.close()
        for path in [fixture.location.awaited, fixture.location.pendingDevice] {
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        try await world.reopen(1, "recovered")
        #expect(try await world.id(1) != before)
        try await world.meet()
        for number in 0..<2 { #expect(try await world.titles(number) == ["before", "yes"], "\(number)") }
        #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules })
        try await world.close()
    }

    @Test func `is restored from a backup as the same device`() async throws {
        let world = try await CircleWorld(devices: 2)
        let before = try await world.id(1)
        let path = world.fixtures[1].folder.path + "/backup.db"
        _ = try await world[1].backUp(BackupRequest(path: path))
        try await world[1].add(Item(title: "after the backup"))
        try await world.sync(1)
        try await world[1].close()
        let fixture = world.fixtures[1]
        let restoration = try VaultRestoration(
            from: path,
            at: fixture.location,
            secretKey: nil,
            needsSecretKey: true,
            environment: fixture.environment
        )
        try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        let placed = try await restoration.place(replacing: true).vault
        try await placed.close()
        try await world.reopen(1)
        #expect(try await world.id(1) == before)
        #expect(try await world.sync(1).taken == 1)
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        #expect(try await world.titles(0) == ["after the backup", "before", "yes"])
        try await world.close()
    }

    @Test func `is read and not written if the device's keys are gone, and a recovery key brings it back`() async throws
    {
        let world = try await CircleWorld(devices: 2)
        let before = try await world.id(1)
        try await world[1].close()
        for path in [world.fixtures[1].location.device, world.fixtures[1].location.head] {
            try world.fixtures[1].remove(path)
        }
        #expect(await world.fixtures[1].refusal() == .unknownDevice)
        try await world.reopen(1, trusting: .thisFile)
        #expect(try await world.titles(1) == ["before"])
        #expect(try await !world.overview(1).isMember)
        await #expect(throws: VaultError(.notInCircle, "")) { try await world[1].add(Item(title: "no")) }
        await #expect(throws: VaultError(.notInCircle, "")) {
            try await world[1].removeDevices(
                [before],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: true
            )
        }
        // It stays so after the next start, and another device's entries still come in.
        try await world.reopen(1)
        try await world[0].add(Item(title: "news"))
        try await world.meet()
        #expect(try await world.titles(1) == ["before", "news"])
        await world[1].lock()
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        #expect(try await world.titles(0) == ["before", "news", "yes"])
        for number in 0..<2 { try await world.reopen(number, "recovered") }
        #expect(try await world.overview(0).devices.count == 3)
        for number in 0..<2 { _ = try await world[number].verifyLog() }
        try await world.close()
    }

    /// The keys of the device are sealed with a vault key that the copy does not have, so it is a stranger.
    @Test func `of before a new recovery key is brought back by the new one`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        let new = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        try await world.sync(1)
        try await world[1].close()
        try putBack(old, world.fixtures[1])
        try await world.reopen(1, trusting: .thisFile)
        try await world.sync(1)
        #expect(try await !world.overview(1).isMember)
        #expect(try await world[1].isRecoveryKey(new))
        #expect(try await world[1].confirm(new))
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        }
        await world[1].lock()
        try await world[1].recover(with: new, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world[1].add(Item(title: "yes"))
        try await world.meet()
        for number in 0..<2 {
            try await world.reopen(number, "recovered")
            #expect(try await world.titles(number) == ["before", "yes"])
        }
        try await world.close()
    }

    @Test func `takes its own entries back, and stops if a copy of the device wrote others`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        try await world[1].add(Item(title: "after the copy"))
        try await world[0].add(Item(title: "beside it"))
        try await world.meet()
        try await world[1].close()
        // Everything of the device is restored, so only the folder shows it.
        try folders(world.fixtures[1], from: old)
        try await world.reopen(1)
        #expect(try await world.sync(1).troubles.isEmpty)
        // What it names next must be everything that its own entries did not know.
        try await world[1].add(Item(title: "on"))
        try await world.meet()
        let titles = ["after the copy", "before", "beside it", "on"]
        for number in 0..<2 {
            #expect(try await world.titles(number) == titles, "\(number)")
            _ = try await world[number].verifyLog()
        }
        try await world[1].close()
        try folders(world.fixtures[1], from: old)
        try await world.reopen(1)
        try await world[1].add(Item(title: "beside"))
        #expect(try await world.sync(1).troubles == [.hasOwnEntries])
        #expect(try await world.sync(1).written == 0)
        #expect(try await world.titles(1) == ["before", "beside"])
        #expect(try await world.titles(0) == titles)
        try await world.close()
    }

    @Test func `a folder gets what removed devices wrote from those that are left`() async throws {
        let world = try await CircleWorld(devices: 3)
        try await world[0].add(Item(title: "of the first"))
        try await world.meet()
        let first = try await world.id(0)
        try await world[1].removeDevices([first], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world.sync(1)
        try FileManager.default.removeItem(atPath: world.folder.path + "/ward")
        for number in 1...2 { try await world.reopen(number) }
        for number in [1, 2, 1] { try await world.sync(number) }
        // A newcomer needs the first entry of the vault, whose device is out.
        try await world.join(by: 1)
        #expect(try await world.titles(3) == ["before", "of the first"])
        for number in [1, 3, 2, 1] { try await world.sync(number) }
        #expect(try await world.sync(1).written == 0)
        try await world.close()
    }

    /// A thief signs a new request with the keys of the removed device, and the person does not compare the words.
    @Test func `a removed device gets no reply with the Secret Key of today`() async throws {
        let world = try await CircleWorld(devices: 1)
        let fixture = try VaultFixture()
        let pending = try PendingDevice(name: "stolen", system: "Linux", fixture.environment)
        _ = try await world[0].admit(pending.request, VaultFixture.passphrase())
        // Another reply is possible for as long as the device is in the circle.
        _ = try await world[0].admit(pending.request, VaultFixture.passphrase())
        let device = pending.request.device.id
        try await world[0].removeDevices([device], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        await #expect(throws: VaultError(.conflict, "")) {
            try await world[0].admit(pending.request, VaultFixture.passphrase())
        }
        try await world.close()
    }

    /// A circle takes at most 512 entries of a device, and two devices that answer each other write without an end.
    @Test func `devices that write in turn add nothing to the circle`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world.meet()
        var counts: [Int] = []
        for round in 0..<12 {
            for number in 0..<2 {
                try await world[number].add(Item(title: "\(round)/\(number)"))
                try await world.sync(number)
                try await world.sync(1 - number)
            }
            counts.append(try await world[0].circleEntries())
        }
        #expect(counts.first ?? 0 > 0 && Set(counts.dropFirst(2)).count == 1, "\(counts)")
        try await world.close()
    }

    @Test func `a folder that another one replaced gets everything again, while the vault is open`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world.meet()
        #expect(try await world.sync(0).written == 0)
        try FileManager.default.removeItem(atPath: world.folder.path + "/ward")
        #expect(try await world.sync(0).written > 0)
        // Now the stick is away for a moment, and another one comes back in its place.
        let stick = world.folder.path + ".away"
        try FileManager.default.moveItem(atPath: world.folder.path, toPath: stick)
        await #expect(throws: FolderError.self) { try await world.sync(0) }
        try FileManager.default.createDirectory(atPath: world.folder.path, withIntermediateDirectories: true)
        try FileManager.default.removeItem(atPath: stick)
        #expect(try await world.sync(0).written > 0)
        #expect(try await world.sync(1).written > 0)
        try await world.join(by: 0)
        #expect(try await world.titles(2) == ["before"])
        try await world.close()
    }

    /// The removal names what the device wrote last, and nobody takes it without that.
    @Test func `a removal reaches the others through a new folder, which lacks what the device wrote a moment ago`()
        async throws
    {
        let world = try await CircleWorld(devices: 3)
        try await world.meet()
        try await world[2].add(Item(title: "of the stolen one"))
        for number in [2, 0] { try await world.sync(number) }
        // The second device has not seen that yet.
        try FileManager.default.removeItem(atPath: world.folder.path + "/ward")
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.titles(1) == ["before"])
        let stolen = try await world.id(2)
        try await world[0].removeDevices([stolen], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.titles(1) == ["before", "of the stolen one"])
        #expect(try await world[1].circle()?.devices.first { $0.id == stolen }?.status == .removed)
        try await world.close()
    }

    @Test func `a recovery key sets a new passphrase on a member, which keeps its place`() async throws {
        let world = try await CircleWorld(devices: 2)
        let before = try await world.id(1)
        await world[1].lock()
        #expect(try await world[1].isRecoveryKey(world.recoveryKey))
        #expect(try await world[1].confirm(world.recoveryKey))
        #expect(try await world[1].outline(with: world.recoveryKey).items == 1)
        try world.fixtures[1].remove(world.fixtures[1].location.secretKey)
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        #expect(try await world.id(1) == before)
        try await world.meet()
        for number in 0..<2 { try await world.reopen(number, "recovered") }
        try await world.close()
    }

    @Test func `a new recovery key replaces the old one on all devices`() async throws {
        let world = try await CircleWorld(devices: 2)
        await #expect(throws: VaultError(.passphraseNeeded, "")) { try await world[1].replaceRecoveryKey() }
        let new = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        try await world.meet()
        await world[0].lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("old"))
        }
        try await world[0].recover(with: new, newPassphrase: VaultFixture.passphrase("new"))
        #expect(try await world.titles(0) == ["before"])
        try await world.close()
    }

    @Test func `a backup is verified, and the recovery key saves items from a damaged file`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world[0].add(Item(title: "second key"))
        let path = world.fixtures[0].folder.path + "/copy.db"
        let backup = try await world[0].backUp(BackupRequest(path: path, isElsewhere: true))
        #expect(backup.areContentsChecked && backup.unreadable.isEmpty)
        await world[0].lock()
        #expect(try await world[0].backUp(BackupRequest(path: path, isElsewhere: true)).entries == backup.entries)
        let salvage = try await world[0].salvage(with: world.recoveryKey)
        #expect(salvage.items.map(\.title).sorted() == ["before", "second key"] && salvage.outdated.isEmpty)
        let same = try await world[0].salvage(with: VaultFixture.passphrase())
        #expect(same.items.count == 2)
        try await world.close()
    }
}

extension Vault {
    /// How many entries of the log are in the circle.
    fileprivate func circleEntries() throws -> Int { try open().graph().circle?.circle.count ?? 0 }
}
