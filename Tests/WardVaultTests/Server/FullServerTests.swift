import Testing
import WardSync
import WardSyncServer

@testable import WardVault

/// A vault that is as large as its server allows.
@Suite struct `A server without room` {
    /// A device that has changes which the server did not take can remove a stolen one.
    @Test func `takes a removal all the same, with what it builds on`() async throws {
        var limits = SyncLimits.standard
        (limits.vaultEntries, limits.devicePercent) = (40, 100)
        let server = SyncServerFixture(limits: limits)
        let world = try await CircleWorld.met(3)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let syncs = try (0..<3).map { try server.sync(world[$0]) }
        for sync in syncs { _ = try await sync.run() }
        for number in 0..<50 { try await world[0].add(Item(title: "\(number)")) }
        for _ in 0..<2 { await #expect(throws: ServerError(.quotaExceeded)) { try await syncs[0].run() } }
        try await world[0].removeDevices(
            [world.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        try await world[0].add(Item(title: "after that"))
        await #expect(throws: ServerError(.quotaExceeded)) { try await syncs[0].run() }
        await #expect(throws: ServerError(.deviceRemoved)) { try await syncs[2].run() }
        _ = try? await syncs[1].run()
        #expect(try await world.overview(1).devices.count { $0.status == .removed } == 1)
        try await world.close()
    }
}
