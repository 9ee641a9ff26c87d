import Foundation
import GRDB
import Testing
import WardTesting
import WardVault

/// A file in which two devices changed the same item side by side: what one file becomes that took in the other's entries.
@Suite struct `A vault that two devices wrote` {
    /// The vault as its first device has it, with the entries of the second one, and the item that both changed.
    private func prepare(_ fixture: VaultFixture) async throws -> ItemID {
        let vault = try await fixture.create()
        let id = try await vault.add(try Sample.full())
        try await vault.add(Item(title: "another"))
        try await vault.close()
        let folder = try fixture.copy()
        try fixture.remove(folder.path + "/state")
        let other = VaultFixture.location(folder)
        let first = try await fixture.unlocked()
        try await first.edit(id) { item in
            item.title = "first"
            item.tags.append("from the first")
            item.passkeys.removeFirst()
        }
        try await first.close()
        fixture.world.advance(by: 100)
        let second = try Vault.open(at: other, environment: fixture.environment)
        try await second.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        try await second.edit(id) { item in
            item.title = "second"
            item.password?.change(to: "new", at: 1_700_000_100)
        }
        try await second.close()
        try Tampering(fixture.location).takeEntries(of: other)
        return id
    }

    private func check(_ item: Item) {
        #expect(item.title == "second")
        #expect(item.conflicts.map(\.name) == ["title"])
        #expect(item.conflicts.first?.text == "first")
        #expect(item.tags.contains("from the first"))
        #expect(item.passkeys.count == 1)
        #expect(item.password?.value == "new")
    }

    @Test func `shows what both made, and keeps what gave way`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        let vault = try await fixture.unlocked()
        check(try await vault.item(id))
        #expect(try await vault.summary(id).title == "second")
        #expect(try await vault.history(of: id).map(\.number) == [2, 2, 1])
        #expect(try await vault.verifyLog().devices.count == 2)
        await vault.saveIndexNow()
        try await vault.close()
        // From the index too, which knows of both revisions.
        let again = try await fixture.unlocked()
        check(try await again.item(id))
        #expect(try await again.summary(id).title == "second")
        // A change joins them, and dismisses the conflict.
        try await again.edit(id) { $0.conflicts = [] }
        let item = try await again.item(id)
        #expect(item.title == "second" && item.conflicts.isEmpty && item.tags.contains("from the first"))
        #expect(try await again.history(of: id).map(\.number) == [3, 2, 2, 1])
        _ = try await again.verifyLog()
        try await again.close()
        try fixture.remove(fixture.location.index)
        let last = try await fixture.unlocked()
        #expect(try await last.item(id).conflicts.isEmpty)
        let revisions = try await last.history(of: id)
        #expect(try await last.item(id, revision: revisions[1].id).title == "second")
        try await last.close()
    }

    /// A later merge may need the common base.
    @Test func `keeps what is behind a merge, however often the item changes afterwards`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        let vault = try await fixture.unlocked()
        for number in 1...120 { try await vault.edit(id) { $0.title = "\(number)" } }
        fixture.world.advance(by: 400 * 86_400)
        for day in 1...110 {
            fixture.world.advance(by: 86_400)
            try await vault.edit(id) { $0.title = "day \(day)" }
        }
        let history = try await vault.history(of: id)
        #expect(history.contains { !$0.isKept })
        #expect(history.suffix(3).map(\.number) == [2, 2, 1] && history.suffix(3).allSatisfy { $0.isKept })
        _ = try await vault.verifyLog()
        try await vault.close()
    }

    @Test func `refuses a change that was begun before the others' came`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        let vault = try await fixture.unlocked()
        let revisions = try await vault.history(of: id)
        for revision in revisions {
            let stale = try await vault.item(id, revision: revision.id)
            await #expect(throws: VaultError(.conflict, "")) { try await vault.write { try $0.replace(stale) } }
        }
        let fresh = try await vault.item(id)
        try await vault.write { try $0.replace(fresh) }
        try await vault.close()
    }

    /// A stolen device supersedes an item a hundred times, and then turns out to have broken the rules: its entries count no
    /// longer, and what they superseded begins its ninety days when an entry that counts supersedes it.
    @Test func `keeps what only void entries superseded until ninety days after an entry that counts did`() async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "0"))
        let another = try await vault.add(Item(title: "another"))
        try await vault.close()
        let folder = try fixture.copy()
        try fixture.remove(folder.path + "/state")
        let stolen = VaultFixture.location(folder)
        func write(_ location: VaultLocation, _ titles: ClosedRange<Int>) async throws {
            let vault = try Vault.open(at: location, environment: fixture.environment)
            try await vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
            for title in titles { try await vault.edit(id) { $0.title = "\(title)" } }
            try await vault.close()
        }
        try await write(stolen, 1...4)
        let twin = folder.deletingLastPathComponent().appendingPathComponent("twin", isDirectory: true)
        try FileManager.default.copyItem(at: folder, to: twin)
        try await write(stolen, 5...120)
        try await write(VaultFixture.location(twin), 500...500)

        func days(_ days: ClosedRange<Int>) async throws -> [Int] {
            let vault = try await fixture.unlocked()
            for day in days {
                fixture.world.advance(by: 86_400)
                try await vault.edit(another) { $0.title = "day \(day)" }
            }
            // Contents are cleared with every sixteenth revision.
            for title in 1...16 { try await vault.edit(id) { $0.title = "day \(days.upperBound), \(title)" } }
            let cleared = try await vault.history(of: id).filter { !$0.isKept }.map(\.number)
            _ = try await vault.verifyLog()
            try await vault.close()
            return cleared
        }
        // The first device builds on all that the stolen one wrote, and hears of the fork later.
        try Tampering(fixture.location).takeEntries(of: stolen)
        #expect(try await days(1...60) == [])
        try Tampering(fixture.location).takeEntries(of: VaultFixture.location(twin))
        // The stolen device's first four entries count, so 1 to 4 were superseded on the first day. All others wait for day 60.
        #expect(try await days(61...100) == [4, 3, 2, 1])
        #expect(try await days(101...145) == [4, 3, 2, 1])
        #expect(try await days(146...156).contains(5))
        let last = try await fixture.unlocked()
        #expect(try await last.verifyLog().firstVoidEntries.values.sorted() == [6])
        try await last.close()
    }

    @Test func `is salvaged with what both made, and removed with both`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        let vault = try fixture.open()
        let salvage = try await vault.salvage(with: VaultFixture.passphrase())
        let saved = try #require(salvage.items.first { $0.id == id })
        #expect(saved.tags.contains("from the first") && saved.password?.value == "new")
        #expect(salvage.outdated.isEmpty && salvage.lost.isEmpty)
        try await vault.unlock(with: VaultFixture.passphrase())
        try await vault.write { try $0.purge(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(id) }
        #expect(try await vault.verifyLog().purged == 1)
        try await vault.close()
    }
}

extension Tampering {
    /// Puts another file's entries behind this one's, as taking them in does.
    func takeEntries(of other: VaultLocation) throws {
        let source = try DatabaseQueue(path: other.database)
        let theirs = try source.read {
            try Row.fetchAll($0, sql: "SELECT previous, entry, blob FROM log ORDER BY position")
        }
        try source.close()
        try run { db in
            for row in theirs {
                let entry: Data = row[1]
                guard try Int.fetchOne(db, sql: "SELECT 1 FROM log WHERE entry = ?", arguments: [entry]) == nil else {
                    continue
                }
                try db.execute(
                    sql: "INSERT INTO log SELECT max(position) + 1, ?, ?, ? FROM log",
                    arguments: [row[0] as Int64, entry, row[2] as Data?]
                )
            }
        }
    }
}
