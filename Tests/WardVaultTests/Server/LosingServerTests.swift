import Testing
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// A server that loses entries, keeps the name of its order, and means no harm.
@Suite struct `A server that loses entries` {
    @Test func `twice is no server that shows two orders`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let syncs = [
            try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1]),
            try server.sync(world[2]),
        ]
        for sync in syncs { _ = try await sync.run() }
        let first = server.store.copy()
        try await world[0].add(Item(title: "a"))
        for number in [0, 1] { _ = try await syncs[number].run() }
        // It says that it saw this one, and comes much later.
        try await world[1].add(Item(title: "b"))
        server.use(first)
        for title in ["c", "cc"] { try await world[2].add(Item(title: title)) }
        for number in [2, 0] { _ = try await syncs[number].run() }
        let second = server.store.copy()
        try await world[0].add(Item(title: "d"))
        _ = try await syncs[0].run()
        server.use(second)
        for title in ["e", "ee"] { try await world[2].add(Item(title: title)) }
        for number in [2, 0, 1] { _ = try await syncs[number].run() }
        let report = try await syncs[0].run()
        #expect(!report.hasTwoOrders)
        #expect(try await world.titles(0) == ["a", "b", "before", "c", "cc", "d", "e", "ee"])
        try await world.close()
    }

    /// The server takes what a removed device wrote after its removal only together with entries that name it.
    @Test func `gets back what builds on an entry that does not count, also after a change of the circle`() async throws
    {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(4)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let syncs = try (0..<4).map { try server.sync(world[$0]) }
        for sync in syncs { _ = try await sync.run() }
        let old = server.store.copy()
        // One device hears of the removal late, and builds on what the removed one wrote.
        try await world[2].add(Item(title: "does not count"))
        for number in [2, 1] { try await world.sync(number) }
        try await world[1].add(Item(title: "counts"))
        let passphrase = try VaultFixture.passphrase()
        try await world[0].removeDevices([world.id(2)], passphrase, recoveryKey: nil, keepsSecretKey: true)
        for number in [0, 3] { _ = try await syncs[number].run() }
        try await world.sync(0)
        // Another device changes the circle, and knows nothing of that.
        try await world[3].rekeyCircle(passphrase)
        for number in [3, 0] { _ = try await syncs[number].run() }
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "counts"])
        server.use(old)
        let report = try await syncs[0].run()
        #expect(report.serverTroubles.isEmpty)
        let page = SyncPage(entries: 1_000, hasBlobs: false)
        let there = Set(try await server.store.entries(of: world[0].id, after: 0, page).map(\.hash))
        #expect(try await world[0].positionsToCarry { !there.contains($0) }.positions.isEmpty)
        let counting = try #require(
            try await world[1].records(after: 0).last { record in
                if case .revision = record.entry.entry.operation { true } else { false }
            }
        )
        let isThere = there.contains(counting.entry.hash)
        #expect(isThere)
        try await world.close()
    }
}
