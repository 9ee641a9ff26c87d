import Foundation
import Testing
import WardLog
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

    @Test func `joins again in the name of the device that it was, if that device's keys are there`() async throws {
        let world = try await CircleWorld(devices: 2)
        let before = try await world.id(1)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        try await world[1].add(Item(title: "after the copy"))
        try await world.sync(1)
        // The file is older than what this device has seen.
        try await world[1].close()
        try world.fixtures[1].remove(world.fixtures[1].location.database)
        try FileManager.default.copyItem(
            atPath: old.path + "/data/vault.db",
            toPath: world.fixtures[1].location.database
        )
        #expect(await world.fixtures[1].refusal() == .rolledBack)
        try await world.reopen(1, trusting: .thisFile)
        #expect(try await world.overview(1).isMember)
        #expect(try await world.id(1) != before)
        try await world[1].add(Item(title: "from the new one"))
        try await world.meet()
        let titles = ["after the copy", "before", "from the new one"]
        for number in 0..<2 { #expect(try await world.titles(number) == titles, "\(number)") }
        let devices = try await world.overview(0).devices
        #expect(devices.count == 3 && devices.filter(\.hasBrokenRules).map(\.id) == [before])
        for number in 0..<2 { _ = try await world[number].verifyLog() }
        try await world.close()
    }

    @Test func `is read and not written if the device's keys are gone, and a recovery key brings it back`() async throws {
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
            try await world[1].removeDevices([before], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
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

    @Test func `stops if there are entries of this device that it does not have, and begins anew with the passphrase`()
        async throws
    {
        let world = try await CircleWorld(devices: 2)
        try await world[1].close()
        let old = try world.fixtures[1].copy()
        try await world.reopen(1)
        try await world[1].add(Item(title: "after the copy"))
        try await world.sync(1)
        try await world[1].close()
        // Everything of the device is restored, so only the folder shows it.
        try folders(world.fixtures[1], from: old)
        try await world.reopen(1)
        try await world[1].add(Item(title: "beside"))
        #expect(try await world.sync(1).troubles == [.hasOwnEntries])
        #expect(try await world.sync(1).written == 0)
        let before = try await world.id(1)
        await #expect(throws: VaultError(.wrongPassphrase, "")) { try await world[1].beginAnew(VaultFixture.passphrase("no")) }
        #expect(try await world.id(1) == before)
        try await world[1].beginAnew(VaultFixture.passphrase())
        try await world[1].add(Item(title: "anew"))
        try await world.meet()
        // Both chains of the earlier device end where they part: nobody can say which of the two is the person's.
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["anew", "before"], "\(number)")
            _ = try await world[number].verifyLog()
        }
        try await world.reopen(1)
        #expect(try await world.titles(1) == ["anew", "before"])
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
