import Testing
import WardSync

@testable import WardVault

/// Not all devices sync with the same servers.
@Suite struct `A device that syncs with two servers` {
    /// Nobody writes while there is a question, so nothing names what a server lacks of it.
    @Test func `brings the other side of a question to a server that knows only one`() async throws {
        let (first, second) = (SyncServerFixture(seed: "first"), SyncServerFixture(seed: "second"))
        let world = try await CircleWorld.met(3)
        _ = try await first.sync(world[0], invitation: first.invite()).run()
        let syncs = try (0..<3).map { try first.sync(world[$0]) }
        for sync in syncs { _ = try await sync.run() }
        let third = try second.sync(world[2])
        _ = try await second.sync(world[0], invitation: second.invite()).run()
        for sync in try [second.sync(world[1]), third] { _ = try await sync.run() }
        let ids = try await (world.id(0), world.id(1))
        for (number, other) in [(0, ids.1), (1, ids.0)] {
            try await world[number].removeDevices(
                [other],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: false
            )
        }
        _ = try await syncs[0].run()
        _ = try await second.sync(world[1]).run()
        for sync in [third, syncs[2]] { _ = try await sync.run() }
        #expect(try await world.overview(2).isFrozen)
        _ = try await syncs[0].run()
        #expect(try await world.overview(0).isFrozen)
        // It is done once.
        let before = first.seen.count
        _ = try await syncs[2].run()
        #expect(first.seen.count - before == 1)
        try await world.close()
    }
}
