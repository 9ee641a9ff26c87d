import Foundation
import Testing
import WardLog

@testable import WardVault

/// A stolen device writes a revision that nobody can read. The others take it, because its entry is right, and the person repairs the item.
@Suite struct `A revision that nobody can read` {
    private static let scan = [UInt8](repeating: 7, count: 1_000)

    /// Two devices with an item that has a file; the second one is stolen.
    private func begin() async throws -> (world: CircleWorld, item: Item, thief: Thief) {
        let world = try await CircleWorld.met(2)
        var item = Item(title: "mine")
        item.attachments = [Attachment(name: "scan", content: Self.scan)]
        let id = try await world[0].add(item)
        try await world.meet()
        return (world, try await world[0].item(id), try await world[1].stolen())
    }

    /// Backs the first device's vault up, and opens and checks the copy as before it is put in place.
    private func checkBackup(_ world: CircleWorld, unreadable: [ItemID] = []) async throws {
        let fixture = world.fixtures[0]
        let path = fixture.folder.path + "/backup-\(unreadable.count).db"
        #expect(try await world[0].backUp(BackupRequest(path: path)).unreadable == unreadable)
        let restoration = try VaultRestoration(
            from: path,
            at: fixture.location,
            secretKey: nil,
            needsSecretKey: true,
            environment: fixture.environment
        )
        defer { restoration.discard() }
        try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        _ = try await restoration.check(takesOlder: false)
        #expect(try await restoration.vault.status().unreadable == unreadable)
        try await restoration.vault.close()
    }

    @Test func `is found as long as the item is made from it, and keeps no backup from being restored`() async throws {
        let (world, item, stolen) = try await begin()
        var thief = stolen
        let (id, revision) = (item.id, try #require(item.revision))
        let spoilt = try thief.spoil(id)
        #expect(try await world[0].take([spoilt]).taken == 1)
        await #expect(throws: VaultError(.damaged, "")) { try await world[0].verifyLog() }
        try await checkBackup(world, unreadable: [id])
        try await world[0].write { try $0.revert(id, to: revision) }
        let report = try await world[0].verifyLog()
        #expect(report.unreadable == 1 && report.revisions == 4)
        try await checkBackup(world)
        try await world.close()
    }

    /// An item with two newest revisions is merged on the one from which both were made.
    @Test func `is found as long as others are merged on it`() async throws {
        let (world, item, stolen) = try await begin()
        var thief = stolen
        let (id, revision) = (item.id, try #require(item.revision))
        let spoilt = try thief.spoil(id)
        #expect(try await world[0].take([spoilt]).taken == 1)
        let beside = try thief.edit(Item(title: "beside", id: id))
        try await world[0].write { try $0.revert(id, to: revision) }
        #expect(try await world[0].verifyLog().unreadable == 1)
        #expect(try await world[0].take([beside]).taken == 1)
        #expect(try await world[0].damagedItems().map(\.id) == [id])
        await #expect(throws: VaultError(.damaged, "")) { try await world[0].verifyLog() }
        try await checkBackup(world, unreadable: [id])
        try await world.close()
    }

    @Test(arguments: ["names none of its files", "has another key for a file", "has a file that nobody can open"])
    func `or whose files do not fit is found, and is only counted once the item is repaired`(attack: String)
        async throws
    {
        let (world, item, stolen) = try await begin()
        var (thief, forged) = (stolen, item)
        let (id, revision) = (item.id, try #require(item.revision))
        let honest = try #require(item.attachments.first)
        var hash = try #require(honest.hash)
        if attack == "has a file that nobody can open" {
            let blob = [UInt8](repeating: 1, count: 500)
            hash = ItemSealing.hash(blob)
            let content = try thief.write(.content(ContentEntry(item: id.logged, blobHash: hash)), blob: blob)
            #expect(try await world[0].take([content]).taken == 1)
        }
        let isNamed = attack != "names none of its files"
        if isNamed {
            let key = SecretBytes([UInt8](repeating: 1, count: 32))
            forged.attachments[0].content = .sealed(hash: hash, key: key)
        }
        forged.title = "of the thief"
        let record = try thief.edit(forged, naming: isNamed ? [hash] : [])
        #expect(try await world[0].take([record]).taken == 1)
        #expect(try await world.titles(0) == ["before", "of the thief"])
        await #expect(throws: VaultError(.damaged, "")) { try await world[0].verifyLog() }
        try await world[0].write { try $0.revert(id, to: revision) }
        #expect(try await world[0].verifyLog().unreadable == 1)
        #expect(try await world[0].content(of: honest, in: id) == Self.scan)
        try await checkBackup(world)
        try await world.close()
    }

    /// What was cleared because of a removal for good can turn out not to count, and neither does the removal.
    @Test func `may be cleared with its files if it does not count`() async throws {
        let world = try await CircleWorld.met(3)
        let id = try await world[0].add(Item(title: "mine"))
        try await world.meet()
        var thief = try await world[2].stolen()
        let blob = [UInt8](repeating: 1, count: 100)
        let content = ContentEntry(item: id.logged, blobHash: ItemSealing.hash(blob))
        let file = try thief.write(.content(content), blob: blob)
        let records = [file, try thief.spoil(id, naming: [content.blobHash])]
        #expect(try await world[0].take(records).taken == 2)
        let lost = thief.id
        try await world[1].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "mine"])
        let places = try await world[0].positions(of: Set(records.map(\.entry.hash)))
        #expect(places.count == 2)
        try await world[0].close()
        let list = places.map { "\($0)" }.joined(separator: ", ")
        try Tampering(world.fixtures[0].location).execute("UPDATE log SET blob = NULL WHERE position IN (\(list))")
        try await world.reopen(0)
        #expect(try await world[0].verifyLog().cleared == 1)
        try await world.close()
    }
}
