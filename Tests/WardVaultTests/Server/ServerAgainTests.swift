import Foundation
import Testing
import WardCBOR
import WardDownload
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// Vaults that were restored, or that had another server before.
@Suite struct `A vault with a history` {
    @Test(arguments: [false, true])
    func `reads a server again after a restoration, also if the newest entry came back from a folder`(
        isBackup: Bool
    ) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        for number in 1..<3 { _ = try await server.sync(world[number]).run() }
        let fixture = world.fixtures[1]
        let backup = fixture.folder.path + "/backup.db"
        _ = try await world[1].backUp(BackupRequest(path: backup))
        try await world[1].close()
        let old = try fixture.copy()
        try await world.reopen(1)
        try await world[0].add(Item(title: "on the server alone"))
        _ = try await server.sync(world[0]).run()
        try await world[2].add(Item(title: "in the folder too"))
        try await world.sync(2)
        _ = try await server.sync(world[2]).run()
        #expect(try await server.sync(world[1]).run().taken == 2)
        try await world[1].close()
        if isBackup {
            let restoration = try VaultRestoration(
                from: backup,
                at: fixture.location,
                secretKey: nil,
                needsSecretKey: true,
                environment: fixture.environment
            )
            try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
            try await restoration.place(replacing: true).vault.close()
            try await world.reopen(1)
        } else {
            try fixture.remove(fixture.location.database)
            try FileManager.default.copyItem(atPath: old.path + "/data/vault.db", toPath: fixture.location.database)
            try await world.reopen(1, trusting: .thisFile)
        }
        try await world.sync(1)
        #expect(try await world.titles(1) == ["before", "in the folder too"])
        _ = try await server.sync(world[1]).run()
        #expect(try await world.titles(1) == ["before", "in the folder too", "on the server alone"])
        try await world.close()
    }

    /// The server takes what a removed device wrote after its removal only with entries that name it.
    @Test func `brings a vault with entries of a removed device that do not count`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 3)
        try await world.meet()
        try await world[0].removeDevices(
            [world.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        for number in 0..<3 { try await world[2].add(Item(title: "does not count \(number)")) }
        try await world.sync(2)
        for number in 0..<2 { try await world.sync(number) }
        try await world[1].add(Item(title: "counts"))
        for number in 0..<2 { try await world.sync(number) }
        let report = try await server.sync(world[0], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        let other = try await server.sync(world[1]).run()
        #expect(other.serverTroubles.isEmpty)
        let page = SyncPage(entries: 1_000, hasBlobs: false)
        let there = Set(try await server.store.entries(of: world[0].id, after: 0, page).map(\.hash))
        #expect(try world.records().allSatisfy { there.contains($0.entry.hash) })
        try await world.close()
    }

    /// The numbers of a new device begin anew, and those of the earlier one say nothing about it.
    @Test(arguments: [false, true])
    func `gets what a device writes that came back with a recovery key`(isRestarted: Bool) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2)
        var syncs = [try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1])]
        for sync in syncs { _ = try await sync.run() }
        for number in 0..<5 { try await world[1].add(Item(title: "earlier \(number)")) }
        for number in [1, 0] { _ = try await syncs[number].run() }
        let passphrase = try VaultFixture.passphrase()
        try await world[0].removeDevices(
            [try world.id(1)],
            passphrase,
            recoveryKey: nil,
            keepsSecretKey: true
        )
        _ = try await syncs[0].run()
        await #expect(throws: ServerError.self) { _ = try await syncs[1].run() }
        // Who is removed learns it there, and what is not for the device comes over the folder.
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        if isRestarted { syncs[1] = try server.sync(world[1]) }
        // The server hears of the new device from a member that names it.
        for number in [1, 0] { try await world.sync(number) }
        try await world[0].add(Item(title: "names it"))
        _ = try await syncs[0].run()
        try await world[1].add(Item(title: "after that"))
        _ = try await syncs[1].run()
        _ = try await syncs[0].run()
        #expect(try await world.titles(0).contains("after that"))
        try await world.close()
    }

    /// Nobody else is left: the device has a backup, the recovery key and the server.
    @Test(arguments: [false, true])
    func `goes on with a server after all devices were lost`(isRestarted: Bool) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let backup = world.fixtures[1].folder.path + "/backup.db"
        _ = try await world[1].backUp(BackupRequest(path: backup))
        try await world[0].add(Item(title: "after the backup"))
        _ = try await server.sync(world[0]).run()
        try await world.close()
        let fixture = try VaultFixture()
        let restoration = try VaultRestoration(
            from: backup,
            at: fixture.location,
            secretKey: nil,
            needsSecretKey: false,
            environment: fixture.environment
        )
        try await restoration.vault.recover(
            with: world.recoveryKey,
            newPassphrase: VaultFixture.passphrase("after the loss"),
            trusting: .thisFile
        )
        var vault = try await restoration.place(replacing: true).vault
        if isRestarted {
            try await vault.close()
            vault = try await fixture.unlocked("after the loss")
        }
        try await vault.add(Item(title: "on the new device"))
        let sync = try server.sync(vault)
        #expect(try await sync.run().taken == 1)
        #expect(
            try await vault.summaries().map(\.title).sorted() == ["after the backup", "before", "on the new device"]
        )
        let page = SyncPage(entries: 1_000, hasBlobs: false)
        let there = Set(try await server.store.entries(of: vault.id, after: 0, page).map(\.hash))
        #expect(try await vault.positionsToCarry { !there.contains($0) }.positions.isEmpty)
        // From now on the server knows the device.
        #expect(try await vault.recoveryEntry() != nil)
        server.between { request, ask in
            if request.url.hasSuffix("/session"), let body = request.body, (try? CBORValue.decode(body))?[6] != nil {
                Issue.record("the first entry was sent again")
            }
            return try await ask(request)
        }
        _ = try await server.sync(vault).run()
        try await vault.close()
    }

    /// Every other device asks in vain only once.
    @Test func `shows no first entry if no recovery key let the device join`() async throws {
        let (server, other) = (SyncServerFixture(), SyncServerFixture())
        let world = try await CircleWorld.met(2)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        for number in 0..<2 {
            #expect(try await world[number].recoveryEntry() == nil)
            await #expect(throws: ServerError(.sessionRefused)) { _ = try await other.sync(world[number]).run() }
        }
        #expect(other.seen.count { $0.hasSuffix("session") } == 2)
        try await world.close()
    }
}
