import Foundation
import Testing
import WardTesting
import WardVault

@Suite struct `A damaged vault` {
    private func prepare(_ bench: Bench) async throws -> (ids: [ItemID], recoveryKey: RecoveryKey) {
        let (vault, recoveryKey) = try await bench.createWithKey()
        var ids: [ItemID] = []
        for number in 0..<5 { ids.append(try await vault.add(Item(title: "item \(number)"))) }
        try await vault.edit(ids[0]) { $0.title = "changed" }
        let gone = ids[4]
        try await vault.write { try $0.purge(gone) }
        try await vault.close()
        return (ids, recoveryKey)
    }

    @Test func `gives out what can still be read`() async throws {
        let bench = try Bench()
        let (ids, recoveryKey) = try await prepare(bench)
        // Entries: 1 genesis, 2 header, 3 to 7 items, 8 change of the first, 9 removal of the last.
        try Tampering(bench.location).execute(
            """
            UPDATE log SET entry = x'00' WHERE position = 8;
            UPDATE log SET blob = x'00' WHERE position = 4;
            DELETE FROM log WHERE position = 5;
            """
        )
        try? bench.remove(bench.location.index)
        #expect(await bench.refusal() == .damaged)
        #expect(await bench.refusal(trusting: .thisFile) == .damaged)
        let vault = try bench.open()
        for salvage in [
            try await vault.salvage(with: Bench.passphrase()), try await vault.salvage(with: recoveryKey),
        ] {
            #expect(Set(salvage.items.map(\.title)) == ["item 0", "item 3"])
            #expect(salvage.lost == [ids[1]])
            #expect(salvage.damagedEntries == 2)
            #expect(salvage.outdated.isEmpty)
        }
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.salvage(with: Bench.passphrase("no"))
        }
        #expect(await vault.isLocked)
        try await vault.close()
    }

    @Test func `says which items are not in their latest state`() async throws {
        let bench = try Bench()
        let (ids, _) = try await prepare(bench)
        try Tampering(bench.location).execute("UPDATE log SET blob = x'00' WHERE position = 8")
        let vault = try bench.open()
        let salvage = try await vault.salvage(with: Bench.passphrase())
        #expect(salvage.outdated == [ids[0]])
        #expect(salvage.items.count == 4)
        #expect(salvage.damagedEntries == 0)
        try await vault.close()
    }

    @Test func `is saved into a new vault as it was, with names for what is lost`() async throws {
        let bench = try Bench()
        let (vault, _) = try await bench.createWithKey()
        let kept = try await vault.add(Item(title: "kept"))
        let trashed = try await vault.add(Item(title: "trashed"))
        let gone = try await vault.add(Item(title: "gone"))
        let destroyed = try await vault.add(Item(title: "destroyed"))
        try await vault.write { try $0.trash(trashed) }
        let times = try await vault.item(kept)
        await vault.saveIndexNow()
        try await vault.close()
        try Tampering(bench.location).execute(
            "UPDATE log SET blob = x'00' WHERE position = 5; DELETE FROM log WHERE position = 6"
        )
        bench.world.advance(by: 1000)
        let damaged = try bench.open()
        let salvage = try await damaged.salvage(with: Bench.passphrase())
        try await damaged.close()
        #expect(Set(salvage.lost) == [gone, destroyed])
        #expect(salvage.lostTitles == [gone: "gone", destroyed: "destroyed"])
        let other = try Bench()
        let (made, _) = try await Vault.create(
            at: other.location,
            passphrase: Bench.passphrase(),
            holding: salvage,
            effects: bench.world.effects
        )
        #expect(try await made.item(kept).modifiedAt == times.modifiedAt)
        #expect(try await made.summaries().map(\.title) == ["kept"])
        #expect(try await made.summaries(inTrash: true).map(\.title) == ["trashed"])
        #expect(made.id != vault.id)
        try await made.close()
    }

    @Test func `whose header is gone opens with this device's copy, and is whole again`() async throws {
        for sql in ["DELETE FROM header", "UPDATE header SET body = x'00'", "INSERT INTO header VALUES (2, x'00')"] {
            let bench = try Bench()
            let (ids, _) = try await prepare(bench)
            let header = try Tampering(bench.location).header()
            try Tampering(bench.location).execute(sql)
            let vault = try await bench.unlocked()
            #expect(try await vault.item(ids[0]).title == "changed")
            try await vault.close()
            #expect(try Tampering(bench.location).header() == header)
            try Tampering(bench.location).execute(sql)
            try bench.remove(bench.location.headerCopy)
            #expect(await bench.refusal() == .damaged)
        }
    }

    @Test func `whose header is gone opens with the recovery key too, for a new passphrase`() async throws {
        for sql in ["DELETE FROM header", "UPDATE header SET body = x'00'", "UPDATE header SET id = 7"] {
            let bench = try Bench()
            let (ids, recoveryKey) = try await prepare(bench)
            try Tampering(bench.location).execute(sql)
            let vault = try bench.open()
            try await vault.recover(with: recoveryKey, newPassphrase: Bench.passphrase("new one"))
            #expect(try await vault.item(ids[0]).title == "changed")
            try await vault.close()
            try bench.remove(bench.location.headerCopy)
            #expect(await bench.refusal() == .wrongPassphrase)
            #expect(await bench.refusal("new one") == nil)
        }
    }

    @Test func `that was emptied, or counts beyond all bounds, is read to its end`() async throws {
        let bench = try Bench()
        let (ids, recoveryKey) = try await prepare(bench)
        try Tampering(bench.location).execute("UPDATE log SET position = 9223372036854775807 WHERE position = 9")
        var vault = try bench.open()
        var salvage = try await vault.salvage(with: recoveryKey)
        #expect(salvage.items.count == 4)
        #expect(salvage.damagedEntries > 1 << 60)
        try await vault.close()
        // Without its first entry nobody can say who may remove; what is there is read all the same, also what was removed.
        try Tampering(bench.location).execute("DELETE FROM log WHERE position < 3")
        vault = try bench.open()
        salvage = try await vault.salvage(with: recoveryKey)
        #expect(Set(salvage.items.map(\.id)) == Set(ids))
        #expect(salvage.lost.isEmpty)
        try await vault.close()
        try Tampering(bench.location).execute("DELETE FROM log")
        vault = try bench.open()
        salvage = try await vault.salvage(with: recoveryKey)
        #expect(salvage.items.isEmpty && salvage.lost.isEmpty && salvage.damagedEntries == 0)
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.salvage(with: recoveryKey) }
    }

    @Test func `of which SQLite cannot read a page still gives out the rest`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        for number in 0..<40 { try await vault.add(Item(title: "item \(number)")) }
        try await vault.close()
        var content = try bench.read(bench.location.database)
        let middle = content.count / 1024 / 2 * 1024
        content.replaceSubrange(middle..<middle + 1024, with: repeatElement(0xff, count: 1024))
        try bench.write(content, to: bench.location.database)
        let damaged = try bench.open()
        let salvage = try await damaged.salvage(with: Bench.passphrase())
        #expect(salvage.items.count >= 30)
        #expect(salvage.damagedEntries < 10)
        try await damaged.close()
    }

    @Test func `does not take another vault's header, nor an old one`() async throws {
        let bench = try Bench()
        let other = try Bench()
        _ = try await prepare(bench)
        _ = try await prepare(other)
        let old = try bench.read(bench.location.headerCopy)
        let vault = try await bench.unlocked()
        try await vault.changePassphrase(from: Bench.passphrase(), to: Bench.passphrase("new one"))
        try await vault.close()
        #expect(try bench.read(bench.location.headerCopy) != old)
        try Tampering(bench.location).execute("DELETE FROM header")
        try bench.write(old, to: bench.location.headerCopy)
        #expect(await bench.refusal() == .rolledBack)
        try bench.write(other.read(other.location.headerCopy), to: bench.location.headerCopy)
        #expect(await bench.refusal() == .wrongSecretKey)
        try bench.write(other.read(other.location.secretKey), to: bench.location.secretKey)
        #expect(await bench.refusal() == .unknownDevice)
        #expect(await bench.refusal(trusting: .thisFile) == .damaged)
    }
}
