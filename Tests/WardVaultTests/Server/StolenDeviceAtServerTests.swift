import Testing
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// A thief has a device while its vault is open, and the server helps the thief. Keys and files are real.
@Suite struct `A stolen device that is open, with the server` {
    /// The server shows the removal to nobody but the device that made it.
    @Test func `reads what a device writes from which its removal is hidden, until that one hears of it`() async throws
    {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        var syncs = [try server.sync(world[0], invitation: try await server.invite())]
        for number in 1..<3 { syncs.append(try server.sync(world[number])) }
        for sync in syncs + syncs { _ = try await sync.run() }
        let thief = try await world[2].stolen()
        let (shown, hidden) = (server.store, server.store.copy())
        try await world[0].removeDevices(
            [thief.id],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        try await world[0].add(Item(title: "of who removed it"))
        _ = try await syncs[0].run()

        server.use(hidden)
        try await world[1].add(Item(title: "while it is hidden"))
        for number in 1..<3 { _ = try await syncs[number].run() }
        #expect(try await world.titles(2) == ["before", "while it is hidden"])
        #expect(try await world.members(1) == ["device 0", "device 1", "device 2"])

        server.use(shown)
        for _ in 0..<2 { _ = try await syncs[1].run() }
        #expect(try await world.members(1) == ["device 0", "device 1"])
        try await world[1].add(Item(title: "after it heard"))
        for number in [1, 0] { _ = try await syncs[number].run() }
        let all = ["after it heard", "before", "of who removed it", "while it is hidden"]
        for number in 0..<2 { #expect(try await world.titles(number) == all, "\(number)") }

        // The server gives the thief everything that it has.
        let records = try await shown.entries(of: world[0].id, after: 0, SyncPage(entries: 2_000)).map {
            LogRecord(entry: try SignedEntry(encoded: $0.encoded), blob: $0.blob)
        }
        let opened = thief.titles(with: try thief.openedKeys(by: [thief.device], in: records), in: records)
        #expect(opened == ["before", "while it is hidden"])
        try await world.close()
    }
}
