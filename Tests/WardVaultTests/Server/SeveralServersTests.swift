import Testing
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

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

    /// Each refusal names only what is directly before. Where it matters who is removed, it must be known what the server has.
    @Test(arguments: [false, true]) func `reads what a server has that lacks what others brought elsewhere`(
        isRemoved: Bool
    ) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let sync = try server.sync(world[0])
        if isRemoved {
            for (number, other) in [(2, 1), (0, 2)] {
                try await world[number].removeDevices(
                    [world.id(other)],
                    VaultFixture.passphrase(),
                    recoveryKey: nil,
                    keepsSecretKey: false
                )
            }
            for number in [0, 2, 1, 0, 1] { try await world.sync(number) }
        }
        _ = try await sync.run()
        for number in 0..<6 { try await world[1].add(Item(title: "\(number)")) }
        for number in [1, 0] { try await world.sync(number) }
        try await world[0].add(Item(title: "after that"))
        let before = server.seen.count
        _ = try await sync.run()
        let seen = server.seen.dropFirst(before)
        let reading = try #require(seen.firstIndex { $0.hasPrefix("GET /entries?after=0") }, "\(seen)")
        #expect(seen[..<reading].count { $0 == "POST /entries" } == (isRemoved ? 1 : 4))
        let there = try await server.store.entries(of: world[0].id, after: 0, SyncPage(entries: 500, hasBlobs: false))
        for number in 0..<2 {
            let written = try await world[number].records(after: 0).map(\.entry.hash)
            #expect(Set(written).isSubset(of: there.map(\.hash)))
        }
        try await world.close()
    }
}
