import Foundation
import Testing
import WardLog
import WardSyncRecords
import WardTesting

@testable import WardSync
@testable import WardVault

/// A device removes an item for good, others clear its data after 30 days, and then a member that was away removes that device.
@Suite struct `Data that is needed again` {
    /// Devices 0 and 2 have cleared an item that device 2 removed. Device 1 was away meanwhile, and has it.
    private struct Scene {
        let world: CircleWorld
        let item: ItemID

        /// - Parameter sync: Syncs a device.
        init(_ world: CircleWorld, author: Int, _ sync: (Int) async throws -> Void) async throws {
            self.world = world
            var new = Item(title: "needed")
            new.password = Password(SecretText("secret"), changedAt: 1)
            let added = try await world[author].add(new)
            item = added
            var changed = try await world[author].item(added)
            changed.title = "needed again"
            try await world[author].write { [changed] in try $0.replace(changed) }
            for number in [0, author, 0, 1, 2, 0, 1, 2] { try await sync(number) }
            try await world[2].write { try $0.purge(added) }
            for number in [2, 0, 2] { try await sync(number) }
            for day in 0..<16 {
                for fixture in world.fixtures { fixture.world.advance(by: 3 * 86_400) }
                try await world[0].add(Item(title: "day \(day)"))
            }
            try await sync(0)
            try await world[0].emptyExpiredTrash()
            #expect(try await world[0].records(of: added).allSatisfy { $0.blob == nil })
        }

        func removeAuthor() async throws {
            try await world[1].removeDevices(
                [world.id(2)],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: false
            )
        }

        func check(_ number: Int) async throws {
            #expect(try await world.titles(number).contains("needed again"), "device \(number)")
            #expect(try await world[number].item(item).password?.value == SecretText("secret"), "device \(number)")
            _ = try await world[number].verifyLog()
        }
    }

    /// The server has cleared it too.
    @Test(arguments: [0, 1]) func `comes back through a server from a member that has it`(author: Int) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let syncs = [
            try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1]),
            try server.sync(world[2]),
        ]
        let scene = try await Scene(world, author: author) { _ = try await syncs[$0].run() }
        let numbers = try await server.numbers(of: world[0].records(of: scene.item).map(\.entry.hash), in: world[0].id)
        let vault = try #require(try await server.store.vault(world[0].id))
        _ = try await server.store.clear(numbers, of: vault, doneAt: nil)
        try await scene.removeAuthor()
        // It may hear of the removal before it hears that the data is there.
        for number in [1, 0] { _ = try await syncs[number].run() }
        try await scene.check(0)
        try await scene.check(1)
        // Nothing is in question any more.
        let before = server.seen.count
        for number in [0, 1] { _ = try await syncs[number].run() }
        #expect(server.seen.count <= before + 2)
        try await world.close()
    }

    /// Who hears of the removal first finds nothing, and asks for these entries alone after that.
    @Test func `is asked for until somebody brings it`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let syncs = [
            try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1]),
            try server.sync(world[2]),
        ]
        let scene = try await Scene(world, author: 1) { _ = try await syncs[$0].run() }
        let hashes = Set(try await world[0].records(of: scene.item).map(\.entry.hash))
        let numbers = try await server.numbers(of: Array(hashes), in: world[0].id)
        let vault = try #require(try await server.store.vault(world[0].id))
        _ = try await server.store.clear(numbers, of: vault, doneAt: nil)
        try await scene.removeAuthor()
        _ = try await syncs[1].run()
        _ = try await server.store.clear(
            numbers,
            of: try #require(try await server.store.vault(world[0].id)),
            doneAt: nil
        )
        _ = try await syncs[0].run()
        #expect(try await world[0].lacking(among: hashes) == hashes)
        #expect(await Set(syncs[0].unfilled.keys) == hashes)
        _ = try await syncs[0].run()
        #expect(try await world[0].lacking(among: hashes) == hashes)
        // As long as data is lacking, a program that starts anew looks at everything once.
        #expect(try await readsEverything(of: world[0], at: server))
        // Another program of device 1 brings it: the question is new to it.
        _ = try await ServerSync(world[1], with: server.connection(world[1]), beginning: ServerBeginning(isOnce: true))
            .run()
        let before = server.seen.count
        _ = try await syncs[0].run()
        #expect(server.seen.count <= before + 3)
        try await scene.check(0)
        // Nothing is lacking any more: that is looked at once, and remembered.
        _ = try await readsEverything(of: world[0], at: server)
        #expect(try await !readsEverything(of: world[0], at: server))
        try await world.close()
    }

    /// Whether a program that starts anew reads all that the server has.
    private func readsEverything(of vault: Vault, at server: SyncServerFixture) async throws -> Bool {
        let before = server.seen.count
        _ = try await server.sync(vault).run()
        return server.seen[before...].contains { $0.contains("after=0") }
    }

    @Test(arguments: [0, 1]) func `comes back through a folder`(author: Int) async throws {
        let world = try await CircleWorld.met(3)
        let scene = try await Scene(world, author: author) { try await world.sync($0) }
        try await scene.removeAuthor()
        for number in [1, 0] { try await world.sync(number) }
        try await scene.check(0)
        try await scene.check(1)
        try await world.close()
    }

    /// Those that cleared the data brought the entries into a new folder without it.
    @Test func `comes into a folder that does not have it`() async throws {
        let world = try await CircleWorld.met(3)
        let scene = try await Scene(world, author: 2) { try await world.sync($0) }
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.path) {
            try FileManager.default.removeItem(at: world.folder.appendingPathComponent(name))
        }
        for _ in 0..<2 { try await world.sync(0) }
        let hashes = Set(try await world[0].records(of: scene.item).map(\.entry.hash))
        #expect(try world.records().filter { hashes.contains($0.entry.hash) }.map(\.blob) == [nil, nil])
        try await scene.removeAuthor()
        for number in [1, 0] { try await world.sync(number) }
        try await scene.check(0)
        let before = try world.records().count
        try await world.reopen(1)
        try await world.sync(1)
        #expect(try world.records().count == before, "nothing is carried twice")
        try await world.close()
    }

    // MARK: Data that is nowhere

    /// Device 0 and the server have cleared an item that device 2 removed, and device 1 removes device 2 before it hears of any of that.
    private func removeUnheard(
        _ world: CircleWorld,
        _ server: SyncServerFixture,
        _ syncs: [ServerSync],
        author: Int
    ) async throws -> Set<[UInt8]> {
        for sync in syncs + syncs { _ = try await sync.run() }
        let item = try await world[author].add(Item(title: "gone"))
        // All others have it.
        for number in [author, 0] + syncs.indices.dropFirst(2) { _ = try await syncs[number].run() }
        try await world[2].write { try $0.purge(item) }
        for number in [2, 0] { _ = try await syncs[number].run() }
        for day in 0..<16 {
            for fixture in world.fixtures { fixture.world.advance(by: 3 * 86_400) }
            try await world[0].add(Item(title: "day \(day)"))
        }
        _ = try await syncs[0].run()
        try await world[0].emptyExpiredTrash()
        let records = try await world[0].records(of: item)
        #expect(records.count == 1 && records.allSatisfy { $0.blob == nil })
        let hashes = records.map(\.entry.hash)
        let vault = try #require(try await server.store.vault(world[0].id))
        _ = try await server.store.clear(try await server.numbers(of: hashes, in: world[0].id), of: vault, doneAt: nil)
        try await world[1].removeDevices(
            [world.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        return Set(hashes)
    }

    /// What names the item would be kept from device 1, and from every new device, for good.
    @Test(arguments: [0, 2]) func `holds up nothing else if it is nowhere`(author: Int) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let syncs = [
            try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1]),
            try server.sync(world[2]),
        ]
        let hashes = try await removeUnheard(world, server, syncs, author: author)
        for number in [1, 0, 1] {
            let report = try await syncs[number].run()
            #expect(report.troubles.isEmpty && report.missing.isEmpty, "device \(number)")
        }
        // The item of the removed device does not count, so nobody asks for its data.
        let lacking = author == 0 ? hashes : []
        try await world.sync(1)
        try await world.join(by: 0, at: VaultFixture(now: world.fixtures[0].world.now))
        let titles = try await world.titles(0)
        #expect(titles.contains("day 15") && !titles.contains("gone"))
        for number in [0, 1, 3] {
            #expect(try await world.titles(number) == titles, "device \(number)")
            #expect(try await world[number].lacking(among: hashes) == lacking, "device \(number)")
        }
        for number in 0..<2 { #expect(await Set(syncs[number].unfilled.keys) == lacking, "device \(number)") }
        try await world.close()
    }

    /// A fourth device has it, and was away.
    @Test func `comes once somebody is back who has it`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(4)
        let first = try server.sync(world[0], invitation: try await server.invite())
        let syncs = try [first] + (1..<4).map { try server.sync(world[$0]) }
        let hashes = try await removeUnheard(world, server, syncs, author: 0)
        for number in [1, 0] { _ = try await syncs[number].run() }
        for number in [1, 0] {
            #expect(try await world[number].lacking(among: hashes) == hashes)
            #expect(try await !world.titles(number).contains("gone"))
        }
        for number in [3, 1, 0] { _ = try await syncs[number].run() }
        for number in [3, 1, 0] {
            #expect(try await world[number].lacking(among: hashes).isEmpty)
            #expect(try await world.titles(number).contains("gone"), "device \(number)")
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }

    /// Another device changed the item beside its removal, and has the file alone once the others have cleared it.
    @Test func `of an attached file comes from who changed its item beside the removal`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2)
        let syncs = [try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1])]
        let content = Array("content".utf8)
        var item = Item(title: "with a file")
        item.attachments = [Attachment(name: "a.txt", content: content)]
        let id = try await world[0].add(item)
        for number in [0, 1, 0] { _ = try await syncs[number].run() }
        try await world[1].edit(id) { $0.title = "changed" }
        try await world[0].write { try $0.purge(id) }
        for day in 0..<16 {
            for fixture in world.fixtures { fixture.world.advance(by: 3 * 86_400) }
            try await world[0].add(Item(title: "day \(day)"))
        }
        _ = try await syncs[0].run()
        try await world[0].emptyExpiredTrash()
        let records = try await world[0].records(of: id)
        #expect(records.count == 2 && records.allSatisfy { $0.blob == nil }, "a file and a revision")
        let hashes = records.map(\.entry.hash)
        let vault = try #require(try await server.store.vault(world[0].id))
        _ = try await server.store.clear(try await server.numbers(of: hashes, in: world[0].id), of: vault, doneAt: nil)
        for number in [1, 0] { _ = try await syncs[number].run() }
        for number in 0..<2 {
            let found = try await world[number].item(id)
            #expect(found.title == "changed", "device \(number)")
            let attachment = try #require(found.attachments.first)
            #expect(try await world[number].content(of: attachment, in: id) == content, "device \(number)")
        }
        // A new device takes everything even if the file is nowhere.
        var all = try await world[0].records(at: Array(1...world[0].position()), upTo: .max, bytes: .max)
        for index in all.indices where hashes.contains(all[index].entry.hash) { all[index].blob = nil }
        let arrival = Arrival(all, after: LogGraph(world[0].id, circle: try await world[0].circleRoot()))
        #expect(arrival.records.count == all.count)
        #expect(arrival.withheld(now: world.fixtures[0].world.now).isEmpty)
        try await world.close()
    }

    /// A stranger has other data.
    @Test func `is taken only as its entry names it`() async throws {
        let world = try await CircleWorld.met(3)
        let scene = try await Scene(world, author: 0) { try await world.sync($0) }
        let own = try await world[1].records(of: scene.item)
        try await scene.removeAuthor()
        let removal = try await world[1].records(after: 0)
        // The removal alone: the folder is not read.
        var report = try await world[0].take(removal)
        #expect(report.taken > 0 && report.filled == 0)
        var wrong = own
        for index in wrong.indices { wrong[index].blob?[0] ^= 1 }
        report = try await world[0].take(wrong)
        #expect(report.filled == 0)
        await #expect(throws: VaultError.self) { try await world[0].verifyLog() }
        report = try await world[0].take(wrong + own + own)
        #expect(report.filled == own.count && report.known == 3 * own.count && report.items == [scene.item])
        try await scene.check(0)
        #expect(try await world[0].take(own).filled == 0)
        try await world.reopen(0)
        try await scene.check(0)
        try await world.close()
    }
}

extension Vault {
    /// The revisions and attached files of an item, with their data.
    fileprivate func records(of item: ItemID) throws -> [LogRecord] {
        var found: [Int64] = []
        try database.forEachRow(after: 0, withBlobs: false) { row in
            switch try SignedEntry(row).entry.operation {
            case .revision(let revision): if revision.item == item.logged { found.append(row.position) }
            case .content(let content): if content.item == item.logged { found.append(row.position) }
            case .genesis, .enrol, .header, .purge, .circle, .ignorable, .unknown: break
            }
        }
        return try records(at: found, upTo: .max, bytes: .max)
    }
}

extension SyncServerFixture {
    fileprivate func numbers(of hashes: [[UInt8]], in vault: VaultID) async throws -> [Int64] {
        let page = SyncPage(entries: 10_000, hasBlobs: false)
        let all = try await store.entries(of: vault, after: 0, page)
        return all.filter { hashes.contains($0.hash) }.map(\.number)
    }
}
