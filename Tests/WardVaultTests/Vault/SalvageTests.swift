import Foundation
import Testing
import WardTesting
import WardVault

@Suite struct `A damaged vault` {
    private func prepare(_ fixture: VaultFixture) async throws -> (ids: [ItemID], recoveryKey: RecoveryKey) {
        let (vault, recoveryKey) = try await fixture.createWithKey()
        var ids: [ItemID] = []
        for number in 0..<5 { ids.append(try await vault.add(Item(title: "item \(number)"))) }
        try await vault.edit(ids[0]) { $0.title = "changed" }
        let gone = ids[4]
        try await vault.write { try $0.purge(gone) }
        try await vault.close()
        return (ids, recoveryKey)
    }

    @Test func `gives nothing to a recovery key without its proof, unless a person takes it for theirs`() async throws {
        let fixture = try VaultFixture()
        let (_, recoveryKey) = try await prepare(fixture)
        try fixture.remove(fixture.location.headerCopy)
        try Tampering(fixture.location).removeProof()
        let vault = try fixture.open()
        await #expect(throws: VaultError(.unprovenVault, "")) { try await vault.salvage(with: recoveryKey) }
        #expect(try await vault.salvage(with: recoveryKey, acceptingUnproven: true).items.count == 4)
        try await vault.close()
    }

    @Test func `gives out what can still be read`() async throws {
        let fixture = try VaultFixture()
        let (ids, recoveryKey) = try await prepare(fixture)
        // Entries: 1 genesis, 2 header, 3 to 7 items, 8 change of the first, 9 removal of the last.
        try Tampering(fixture.location).execute(
            """
            UPDATE log SET entry = x'00' WHERE position = 8;
            UPDATE log SET blob = x'00' WHERE position = 4;
            DELETE FROM log WHERE position = 5;
            """
        )
        try? fixture.remove(fixture.location.index)
        #expect(await fixture.refusal() == .damaged)
        #expect(await fixture.refusal(trusting: .thisFile) == .damaged)
        let vault = try fixture.open()
        for salvage in [
            try await vault.salvage(with: VaultFixture.passphrase()), try await vault.salvage(with: recoveryKey),
        ] {
            #expect(Set(salvage.items.map(\.title)) == ["item 0", "item 3"])
            #expect(salvage.lost == [ids[1]])
            #expect(salvage.damagedEntries == 2)
            #expect(salvage.outdated.isEmpty)
        }
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.salvage(with: VaultFixture.passphrase("no"))
        }
        #expect(await vault.isLocked)
        try await vault.close()
    }

    @Test func `says which items are not in their latest state`() async throws {
        let fixture = try VaultFixture()
        let (ids, _) = try await prepare(fixture)
        try Tampering(fixture.location).execute("UPDATE log SET blob = x'00' WHERE position = 8")
        let vault = try fixture.open()
        let salvage = try await vault.salvage(with: VaultFixture.passphrase())
        #expect(salvage.outdated == [ids[0]])
        #expect(salvage.items.count == 4)
        #expect(salvage.damagedEntries == 0)
        try await vault.close()
    }

    @Test func `is saved into a new vault as it was, with names for what is lost`() async throws {
        let fixture = try VaultFixture()
        let (vault, _) = try await fixture.createWithKey()
        let kept = try await vault.add(Item(title: "kept"))
        let trashed = try await vault.add(Item(title: "trashed"))
        let gone = try await vault.add(Item(title: "gone"))
        let destroyed = try await vault.add(Item(title: "destroyed"))
        try await vault.write { try $0.trash(trashed) }
        let times = try await vault.item(kept)
        await vault.saveIndexNow()
        try await vault.close()
        try Tampering(fixture.location).execute(
            "UPDATE log SET blob = x'00' WHERE position = 5; DELETE FROM log WHERE position = 6"
        )
        fixture.world.advance(by: 1000)
        let damaged = try fixture.open()
        let salvage = try await damaged.salvage(with: VaultFixture.passphrase())
        try await damaged.close()
        #expect(Set(salvage.lost) == [gone, destroyed])
        #expect(salvage.lostTitles == [gone: "gone", destroyed: "destroyed"])
        let other = try VaultFixture()
        let (made, _) = try await Vault.create(
            at: other.location,
            passphrase: VaultFixture.passphrase(),
            holding: salvage,
            effects: fixture.world.effects
        )
        #expect(try await made.item(kept).modifiedAt == times.modifiedAt)
        #expect(try await made.summaries().map(\.title) == ["kept"])
        #expect(try await made.summaries(inTrash: true).map(\.title) == ["trashed"])
        #expect(made.id != vault.id)
        try await made.close()
    }

    @Test func `whose header is gone opens with this device's copy, and is whole again`() async throws {
        for sql in ["DELETE FROM header", "UPDATE header SET body = x'00'", "INSERT INTO header VALUES (2, x'00')"] {
            let fixture = try VaultFixture()
            let (ids, _) = try await prepare(fixture)
            let header = try Tampering(fixture.location).header()
            try Tampering(fixture.location).execute(sql)
            let vault = try await fixture.unlocked()
            #expect(try await vault.item(ids[0]).title == "changed")
            try await vault.close()
            #expect(try Tampering(fixture.location).header() == header)
            try Tampering(fixture.location).execute(sql)
            try fixture.remove(fixture.location.headerCopy)
            #expect(await fixture.refusal() == .damaged)
        }
    }

    @Test func `whose header is gone opens with the recovery key too, for a new passphrase`() async throws {
        for sql in ["DELETE FROM header", "UPDATE header SET body = x'00'", "UPDATE header SET id = 7"] {
            let fixture = try VaultFixture()
            let (ids, recoveryKey) = try await prepare(fixture)
            try Tampering(fixture.location).execute(sql)
            let vault = try fixture.open()
            try await vault.recover(with: recoveryKey, newPassphrase: VaultFixture.passphrase("new one"))
            #expect(try await vault.item(ids[0]).title == "changed")
            try await vault.close()
            try fixture.remove(fixture.location.headerCopy)
            #expect(await fixture.refusal() == .wrongPassphrase)
            #expect(await fixture.refusal("new one") == nil)
        }
    }

    @Test func `that was emptied, or counts beyond all bounds, is read to its end`() async throws {
        let fixture = try VaultFixture()
        let (ids, recoveryKey) = try await prepare(fixture)
        try Tampering(fixture.location).execute("UPDATE log SET position = 9223372036854775807 WHERE position = 9")
        var vault = try fixture.open()
        var salvage = try await vault.salvage(with: recoveryKey)
        #expect(salvage.items.count == 4)
        #expect(salvage.damagedEntries > 1 << 60)
        try await vault.close()
        // Without its first entry nobody can say who may remove; what is there is read all the same, also what was removed.
        try Tampering(fixture.location).execute("DELETE FROM log WHERE position < 3")
        vault = try fixture.open()
        salvage = try await vault.salvage(with: recoveryKey)
        #expect(Set(salvage.items.map(\.id)) == Set(ids))
        #expect(salvage.lost.isEmpty)
        try await vault.close()
        try Tampering(fixture.location).execute("DELETE FROM log")
        vault = try fixture.open()
        salvage = try await vault.salvage(with: recoveryKey)
        #expect(salvage.items.isEmpty && salvage.lost.isEmpty && salvage.damagedEntries == 0)
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.salvage(with: recoveryKey) }
    }

    @Test func `of which SQLite cannot read a page still gives out the rest`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        for number in 0..<40 { try await vault.add(Item(title: "item \(number)")) }
        try await vault.close()
        var content = try fixture.read(fixture.location.database)
        let middle = content.count / 1024 / 2 * 1024
        content.replaceSubrange(middle..<middle + 1024, with: repeatElement(0xff, count: 1024))
        try fixture.write(content, to: fixture.location.database)
        let damaged = try fixture.open()
        let salvage = try await damaged.salvage(with: VaultFixture.passphrase())
        #expect(salvage.items.count >= 30)
        #expect(salvage.damagedEntries < 10)
        try await damaged.close()
    }

    @Test func `does not take another vault's header, nor an old one`() async throws {
        let fixture = try VaultFixture()
        let other = try VaultFixture()
        _ = try await prepare(fixture)
        _ = try await prepare(other)
        let old = try fixture.read(fixture.location.headerCopy)
        let vault = try await fixture.unlocked()
        try await vault.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new one"))
        try await vault.close()
        #expect(try fixture.read(fixture.location.headerCopy) != old)
        try Tampering(fixture.location).execute("DELETE FROM header")
        try fixture.write(old, to: fixture.location.headerCopy)
        #expect(await fixture.refusal() == .rolledBack)
        try fixture.write(other.read(other.location.headerCopy), to: fixture.location.headerCopy)
        #expect(await fixture.refusal() == .wrongSecretKey)
        try fixture.write(other.read(other.location.secretKey), to: fixture.location.secretKey)
        #expect(await fixture.refusal() == .unknownDevice)
        #expect(await fixture.refusal(trusting: .thisFile) == .damaged)
    }
}
