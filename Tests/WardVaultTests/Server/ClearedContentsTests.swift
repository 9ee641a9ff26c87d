import Testing
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// A server clears what no device needs any more, and devices that begin with nothing take the rest.
@Suite struct `A server that cleared old contents` {
    @Test(arguments: [29, 31]) func `gives a device everything else, once the removal is old enough`(days: Int64)
        async throws
    {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 2)
        try await world.meet()
        let sync = try server.sync(world[0], invitation: try await server.invite())
        _ = try await sync.run()
        let gone = try await world[0].add(Item(title: "gone"))
        _ = try await sync.run()
        let number = try #require(try await server.store.vault(world[0].id)?.head)
        // More than one answer has, so the device reads the removal later than what was removed.
        try await world[0].write { for index in 0..<520 { try $0.add(Item(title: "item \(index)")) } }
        try await world[0].write { try $0.purge(gone) }
        _ = try await sync.run()
        let vault = try #require(try await server.store.vault(world[0].id))
        let after = try await server.store.clear([number], of: vault, doneAt: nil)
        #expect(after.bytes < vault.bytes)
        for fixture in world.fixtures { fixture.world.advance(by: days * 86_400) }

        let isOld = days > 30
        var outcome: SyncReport?
        do { outcome = try await server.sync(world[1]).run() } catch { #expect(!isOld, "\(error)") }
        if isOld {
            #expect(outcome?.troubles == [] && outcome?.missing == [])
            #expect(try await world.titles(1) == world.titles(0))
        } else {
            #expect(try await world.titles(1).count < 500)
        }
        try await world.close()
    }

    /// What a device has cleared goes without its data, also if what allowed that comes in a later upload.
    @Test func `is left for another one with everything`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2)
        let gone = [
            try await world[0].add(Item(title: "gone 0")), try await world[1].add(Item(title: "gone 1")),
        ]
        try await world.meet()
        try await world[0].write { for index in 0..<520 { try $0.add(Item(title: "item \(index)")) } }
        try await world[0].write { for item in gone { try $0.purge(item) } }
        try await world.meet()
        for day in 0..<16 {
            for fixture in world.fixtures { fixture.world.advance(by: 3 * 86_400) }
            try await world[0].add(Item(title: "day \(day)"))
        }
        server.world.advance(by: world.fixtures[0].world.now - server.world.now)
        try await world[0].emptyExpiredTrash()
        let positions = try await world[0].positionsToCarry { _ in true }.positions
        let bare = try await world[0].records(at: positions, upTo: .max, bytes: .max).filter {
            $0.blob == nil && $0.blobHash != nil
        }
        #expect(!bare.isEmpty, "Otherwise the test would prove nothing.")
        let report = try await server.sync(world[0], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        let page = SyncPage(entries: 10_000, hasBlobs: false)
        let there = Set(try await server.store.entries(of: world[0].id, after: 0, page).map(\.hash))
        #expect(try await world[0].positions(lackingIn: there).isEmpty)
        #expect(try await server.sync(world[1]).run().troubles.isEmpty)
        try await world.close()
    }

    /// A vault that moves takes its data along, and nothing that its own devices no longer keep.
    @Test func `gets the data when the vault moves there`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(1)
        let gone = try await world[0].add(Item(title: "gone"))
        try await world[0].add(Item(title: "kept"))
        try await world[0].write { try $0.purge(gone) }
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let vault = try #require(try await server.store.vault(world[0].id))
        let all = SyncPage(entries: 1_000, hasBlobs: true)
        let whole = try await server.store.entries(of: world[0].id, after: 0, all)
        _ = try await server.store.clear(Array(1...vault.head), of: vault, doneAt: nil)
        #expect(try await server.store.entries(of: world[0].id, after: 0, all) != whole)
        for lacked in [4, 0] {
            let connection = try server.connection(world[0])
            let once = ServerSync(world[0], with: connection, beginning: ServerBeginning(isOnce: true))
            #expect(try await once.run().brought == lacked, "two items and two headers")
        }
        let again = try await server.store.entries(of: world[0].id, after: 0, all)
        #expect(again.count { $0.blob != nil } == 4)
        #expect(again.allSatisfy { whole.contains($0) || $0.blob == nil })
        try await world.close()
    }
}
