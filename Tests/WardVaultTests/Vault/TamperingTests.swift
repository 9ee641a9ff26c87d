import Crypto
import Foundation
import Synchronization
import Testing
import WardCBOR
import WardVault

/// Something that somebody with the file, and without the keys, may do to it.
private struct Tamper: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String
    /// What opening says; `nil` when it opens.
    let opening: VaultError.Code?
    /// What reading the first item says then.
    var reading: VaultError.Code?

    /// In the file: entry 1 genesis, 2 header, 3 first item, 4 second item, 5 first item changed, 6 second item changed.
    static let all = [
        Self(
            testDescription: "the last entry is gone",
            sql: "DELETE FROM log WHERE position = 6",
            opening: .rolledBack
        ),
        Self(
            testDescription: "the log is gone",
            sql: "DELETE FROM log",
            opening: .rolledBack
        ),
        Self(
            testDescription: "an entry in the middle is gone",
            sql: "DELETE FROM log WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "an item has the other's sealed state",
            sql: "UPDATE log SET blob = (SELECT blob FROM log WHERE position = 6) WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "an item has its own older sealed state",
            sql: "UPDATE log SET blob = (SELECT blob FROM log WHERE position = 3) WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "an item has its own older entry and state",
            sql: """
                UPDATE log SET blob = (SELECT blob FROM log WHERE position = 3),
                entry = (SELECT entry FROM log WHERE position = 3) WHERE position = 5
                """,
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "a sealed state is gone",
            sql: "UPDATE log SET blob = NULL WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "a sealed state is text",
            sql: "UPDATE log SET blob = 'text' WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "an entry is a number",
            sql: "UPDATE log SET entry = 5 WHERE position = 5",
            opening: nil,
            reading: .damaged
        ),
        Self(
            testDescription: "an entry follows that nobody signed",
            sql: "INSERT INTO log SELECT 7, 0, entry, blob FROM log WHERE position = 6",
            opening: .damaged
        ),
        Self(
            testDescription: "two entries have changed places",
            sql: "UPDATE log SET position = 100 WHERE position = 4; UPDATE log SET position = 4 WHERE position = 5;"
                + " UPDATE log SET position = 5 WHERE position = 100",
            opening: nil,
            reading: .damaged
        ),
        Self(testDescription: "the header is gone", sql: "DELETE FROM header", opening: .damaged),
        Self(testDescription: "there are two headers", sql: "INSERT INTO header VALUES (2, x'00')", opening: .damaged),
        Self(testDescription: "the header is text", sql: "UPDATE header SET body = 'x'", opening: .damaged),
        Self(testDescription: "a table more", sql: "CREATE TABLE extra (a)", opening: .damaged),
        Self(
            testDescription: "a trigger",
            sql: "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END",
            opening: .damaged
        ),
        Self(testDescription: "a table less", sql: "DROP TABLE log", opening: .damaged),
        Self(testDescription: "another program's file", sql: "PRAGMA application_id = 7", opening: .damaged),
        Self(testDescription: "a later version", sql: "PRAGMA user_version = 2", opening: .unknownVersion),
        Self(testDescription: "an earlier version", sql: "PRAGMA user_version = 0", opening: .damaged),
    ]
}

@Suite struct `Somebody with the file` {
    /// A vault with two items, each changed once, and its index; without this device's copy of the header, which would make good
    /// what is done to the header.
    private func prepare(_ fixture: VaultFixture, keepsHeaderCopy: Bool = false) async throws -> ItemID {
        let vault = try await fixture.create()
        let first = try await vault.add(Item(title: "first"))
        let second = try await vault.add(Item(title: "second"))
        try await vault.edit(first) { $0.title = "first, changed" }
        try await vault.edit(second) { $0.title = "second, changed" }
        await vault.saveIndexNow()
        try await vault.close()
        if !keepsHeaderCopy { try fixture.remove(fixture.location.headerCopy) }
        return first
    }

    @Test(arguments: Tamper.all)
    fileprivate func `cannot change it unnoticed`(tamper: Tamper) async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        try Tampering(fixture.location).execute(tamper.sql)
        #expect(await fixture.refusal() == tamper.opening)
        guard tamper.opening == nil else { return }
        let vault = try await fixture.unlocked()
        if let code = tamper.reading {
            await #expect(throws: VaultError(code, "")) { try await vault.item(id) }
            await #expect(throws: VaultError(.damaged, "")) { try await vault.verifyLog() }
        }
        try await vault.close()
    }

    @Test(arguments: Tamper.all)
    fileprivate func `cannot change it unnoticed either when the index is gone`(tamper: Tamper) async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        try fixture.remove(fixture.location.index)
        try Tampering(fixture.location).execute(tamper.sql)
        let code = await fixture.refusal()
        #expect(code == tamper.opening || code == .damaged)
        guard code == nil else { return }
        let vault = try await fixture.unlocked()
        await #expect(throws: VaultError(.damaged, "")) { try await vault.item(id) }
        #expect(try await vault.status().unreadable == [id])
        try await vault.close()
    }

    @Test func `cannot put another item's past into an item's`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        // Where an item was before is unknown now, so the whole log is searched.
        try Tampering(fixture.location).execute("UPDATE log SET previous = 0 WHERE position = 5")
        let vault = try await fixture.unlocked()
        #expect(try await vault.history(of: id).map(\.number) == [2, 1])
        try await vault.close()
    }

    @Test(arguments: [(1, 65_536), (3, 1024), (3, 65_535), (2, 65_536), (65, 65_536), (3, 1_048_577), (0, 0)])
    func `cannot have the passphrase stretched less, or without end`(passes: Int, memory: Int) async throws {
        let fixture = try VaultFixture()
        _ = try await prepare(fixture)
        try Tampering(fixture.location).setEffort(passes: passes, memory: memory)
        #expect(await fixture.refusal() == .weakKeyDerivation)
    }

    @Test(arguments: [true, false])
    func `cannot have the passphrase stretched at all for a header of their own`(knowsHeader: Bool) async throws {
        let fixture = try VaultFixture()
        _ = try await prepare(fixture, keepsHeaderCopy: knowsHeader)
        try Tampering(fixture.location).setEffort(passes: 64, memory: 1_048_576)
        let stretched = Mutex(0)
        var environment = fixture.environment
        environment.stretch = { _, _ in
            stretched.withLock { $0 += 1 }
            return [UInt8](repeating: 0, count: 32)
        }
        let vault = try Vault.open(at: fixture.location, environment: environment)
        await #expect(throws: VaultError(.damaged, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
        try await vault.close()
        #expect(stretched.withLock { $0 } == 0)
    }

    @Test func `cannot have a later version taken for a damaged one, or the other way round`() async throws {
        let fixture = try VaultFixture()
        _ = try await prepare(fixture)
        let file = Tampering(fixture.location)
        let body = CBORValue.array(["ward", 2, "a form nobody knows yet", [1: 2]]).encoded()
        try file.setHeader(body + Array(SHA256.hash(data: body)))
        #expect(await fixture.refusal() == .unknownVersion)
        try file.setHeader(body + [UInt8](repeating: 0, count: 32))
        #expect(await fixture.refusal() == .damaged)
    }

    @Test func `can damage one item, and its history brings it back`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        try Tampering(fixture.location).execute("UPDATE log SET blob = x'00' WHERE position = 5")
        try fixture.remove(fixture.location.index)
        let vault = try await fixture.unlocked()
        #expect(try await vault.summaries().map(\.title) == ["second, changed"])
        #expect(try await vault.status().unreadable == [id])
        let history = try await vault.history(of: id)
        #expect(history.map(\.isKept) == [false, true])
        let old = try #require(history.last).id
        #expect(try await vault.item(id, revision: old).title == "first")
        try await vault.write { try $0.revert(id, to: old) }
        #expect(try await vault.item(id).title == "first")
        #expect(try await vault.status().unreadable.isEmpty)
        try await vault.close()
        let again = try await fixture.unlocked()
        #expect(try await again.item(id).title == "first")
        try await again.close()
    }

    @Test func `can damage an entry that the index passes over, and what is left of the item is still reached`()
        async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "first"))
        for title in ["second", "third", "fourth"] { try await vault.edit(id) { $0.title = title } }
        try await vault.add(Item(title: "another"))
        await vault.saveIndexNow()
        try await vault.close()
        // Entries: 1 genesis, 2 header, 3 to 6 the item's revisions, 7 another item.
        try Tampering(fixture.location).execute(
            "UPDATE log SET entry = x'00' WHERE position = 5; UPDATE log SET blob = x'00' WHERE position = 6"
        )
        let again = try await fixture.unlocked()
        #expect(try await again.status().unreadable.isEmpty)
        await #expect(throws: VaultError(.damaged, "")) { try await again.item(id) }
        #expect(try await again.status().unreadable == [id])
        let damaged = try #require(try await again.damagedItems().first)
        #expect(damaged.summary.title == "second")
        #expect(damaged.isRestorable)
        let history = try await again.history(of: id)
        #expect(history.map(\.number) == [4, 2, 1])
        #expect(history.map(\.title) == [nil, "second", "first"])
        try await again.write { try $0.revert(id, to: history[1].id) }
        #expect(try await again.item(id).title == "second")
        #expect(try await again.damagedItems().isEmpty)
        try await again.close()
    }

    @Test func `can damage one item, and it can still be removed for good`() async throws {
        let fixture = try VaultFixture()
        let id = try await prepare(fixture)
        try Tampering(fixture.location).execute("UPDATE log SET blob = x'00' WHERE position = 5")
        let vault = try await fixture.unlocked()
        try await vault.write { try $0.purge(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(id) }
        // Its contents stay for thirty days. A check of the whole log does not mind that they cannot be read.
        #expect(try await vault.verifyLog().purged == 1)
        try await vault.close()
    }
}
