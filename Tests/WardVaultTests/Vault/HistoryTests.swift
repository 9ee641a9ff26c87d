import Testing
import WardTesting
import WardVault

@Suite struct `History and trash` {
    @Test func `every state of an item is kept, with what made it`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "one"))
        fixture.world.advance(by: 10)
        try await vault.edit(id) { $0.title = "two" }
        fixture.world.advance(by: 10)
        try await vault.write { try $0.trash(id) }
        fixture.world.advance(by: 10)
        try await vault.write { try $0.restore(id) }
        let history = try await vault.history(of: id)
        #expect(history.map(\.number) == [4, 3, 2, 1])
        #expect(history.map(\.change) == [.restored, .trashed, .edited, .created])
        #expect(history.map(\.title) == ["two", "two", "two", "one"])
        #expect(history.map(\.time) == [30, 20, 10, 0].map { 1_700_000_000 + $0 })
        let first = try #require(history.last)
        #expect(try await vault.item(id, revision: first.id).title == "one")
        try await vault.write { try $0.revert(id, to: first.id) }
        let reverted = try await vault.item(id)
        #expect(reverted.title == "one")
        #expect(reverted.change == .reverted)
        #expect(reverted.modifiedAt == 1_700_000_030)
        #expect(try await vault.history(of: id).count == 5)
        #expect(RevisionID(text: first.id.text) == first.id)
        try await vault.close()
    }

    @Test func `what is in the trash is found there alone`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let item = Item(title: "gone", sites: [Site("example.com")], passkeys: [try Sample.passkey(number: 1)])
        let id = try await vault.add(item)
        try await vault.add(Item(title: "there"))
        try await vault.write { try $0.trash(id) }
        #expect(try await vault.summaries().map(\.title) == ["there"])
        #expect(try await vault.summaries(inTrash: true).map(\.title) == ["gone"])
        #expect(try await vault.summaries(at: "example.com").isEmpty)
        #expect(try await vault.passkeys(for: "example.com", includingHidden: true).isEmpty)
        #expect(try await vault.passkey(credentialID: item.passkeys[0].credentialID) == nil)
        #expect(try await vault.item(id).isInTrash)
        let status = try await vault.status()
        #expect(status.items == 1 && status.trashed == 1)
        try await vault.write { try $0.restore(id) }
        #expect(try await vault.passkey(credentialID: item.passkeys[0].credentialID)?.item == id)
        #expect(try await vault.summaries(inTrash: true).isEmpty)
        try await vault.close()
    }

    @Test func `what is removed for good leaves the file`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "x", notes: SecretText(String(repeating: "n", count: 200_000))))
        let other = try await vault.add(Item(title: "other"))
        try await vault.write { try $0.purge(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(id) }
        // In case the removal turns out not to count, the contents stay for thirty days.
        for day in 1...31 {
            #expect(try await vault.emptyExpiredTrash() == 0)
            #expect(try await vault.verifyLog().cleared == 0, "day \(day)")
            fixture.world.advance(by: 86_400)
            try await vault.edit(other) { $0.title = "day \(day)" }
        }
        fixture.world.advance(by: 86_400)
        try await vault.emptyExpiredTrash()
        #expect(try await vault.verifyLog().cleared == 1)
        try await vault.close()
        let bytes = try fixture.read(fixture.location.database)
        // Ciphertext is noise; what is left of it would not be zeros.
        #expect(bytes.count { $0 == 0 } > 190_000)
        let again = try await fixture.unlocked()
        await #expect(throws: VaultError(.itemMissing, "")) { try await again.item(id) }
        try await again.write { try $0.add(Item(title: "again", id: id)) }
        #expect(try await again.history(of: id).count == 1)
        #expect(try await again.verifyLog().purged == 0)
        try await again.close()
    }

    /// A stolen device may write a hundred revisions of everything: what they supersede stays for ninety days.
    @Test func `of an item that changes all the time the last hundred revisions and ninety days are kept`() async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "0"))
        for number in 1...120 { try await vault.edit(id) { $0.title = "\(number)" } }
        fixture.world.advance(by: 400 * 86_400)
        try await vault.edit(id) { $0.title = "a leap of the clock" }
        for day in 1...85 {
            fixture.world.advance(by: 86_400)
            try await vault.edit(id) { $0.title = "day \(day)" }
        }
        #expect(try await vault.history(of: id).allSatisfy { $0.isKept })
        for day in 86...110 {
            fixture.world.advance(by: 86_400)
            try await vault.edit(id) { $0.title = "day \(day)" }
        }
        let history = try await vault.history(of: id)
        #expect(history.count == 232)
        #expect((100...135).contains(history.count { $0.isKept }))
        #expect(!history.prefix(100).contains { !$0.isKept })
        #expect(try await vault.verifyLog().cleared == history.count { !$0.isKept })
        await #expect(throws: VaultError(.damaged, "")) { try await vault.item(id, revision: history[231].id) }
        try await vault.close()
    }

    @Test func `a change that was read before another is refused, and nothing is lost`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "one"))
        var mine = try await vault.item(id)
        try await vault.edit(id) { $0.title = "other" }
        mine.title = "mine"
        let stale = mine
        await #expect(throws: VaultError(.conflict, "")) { try await vault.write { try $0.replace(stale) } }
        #expect(try await vault.item(id).title == "other")
        var fresh = try await vault.item(id)
        fresh.title = "mine"
        let current = fresh
        try await vault.write { try $0.replace(current) }
        #expect(try await vault.item(id).title == "mine")
        let foreign = Item(title: "never read", id: id)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.write { try $0.replace(foreign) } }
        await #expect(throws: VaultError(.conflict, "")) { try await vault.write { try $0.add(foreign) } }
        try await vault.close()
    }

    @Test func `ten clients that change the same items lose nothing`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "counter", tags: []))
        await withTaskGroup { group in
            for client in 0..<10 {
                group.addTask {
                    for number in 0..<10 {
                        while true {
                            do {
                                var item = try await vault.item(id)
                                item.tags.append("\(client)/\(number)")
                                let next = item
                                try await vault.write { try $0.replace(next) }
                                break
                            } catch {
                                #expect((error as? VaultError)?.code == .conflict)
                            }
                        }
                    }
                }
            }
        }
        #expect(try await Set(vault.item(id).tags).count == 100)
        #expect(try await vault.history(of: id).count == 101)
        try await vault.close()
    }
}

@Suite struct `Transactions` {
    @Test func `all or nothing`() async throws {
        struct Refused: Error {}
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        await #expect(throws: Refused.self) {
            try await vault.write { transaction in
                try transaction.add(Item(title: "b"))
                try transaction.update(id) { $0.title = "c" }
                #expect(try transaction.item(id).title == "c")
                throw Refused()
            }
        }
        #expect(try await vault.summaries().map(\.title) == ["a"])
        #expect(try await vault.status().entries == 3)
        try await vault.close()
    }

    @Test func `what is written is read in the same transaction, and is one state`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let item = Item(title: "a")
        let other = Item(title: "gone at once")
        try await vault.write { transaction in
            try transaction.add(item)
            try transaction.update(item.id) { $0.title += "b" }
            try transaction.update(item.id) { $0.title += "c" }
            try transaction.add(other)
            try transaction.purge(other.id)
            #expect(throws: VaultError(.itemMissing, "")) { try transaction.item(other.id) }
            #expect(throws: VaultError(.conflict, "")) { try transaction.add(item) }
        }
        #expect(try await vault.item(item.id).title == "abc")
        #expect(try await vault.history(of: item.id).map(\.change) == [.created])
        #expect(try await vault.status().entries == 3)
        try await vault.write { transaction in
            try transaction.trash(item.id)
            try transaction.purge(item.id)
            #expect(throws: VaultError(.itemMissing, "")) { try transaction.restore(item.id) }
        }
        #expect(try await vault.summaries(inTrash: true).isEmpty)
        #expect(try await vault.write { _ in 7 } == 7)
        try await vault.close()
    }

    @Test func `an item too large is refused before anything is written`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let big = Item(title: "big", notes: SecretText(String(repeating: "x", count: Item.maximumSize)))
        await #expect(throws: VaultError(.itemTooLarge, "")) {
            try await vault.write { transaction in
                try transaction.add(Item(title: "small"))
                try transaction.add(big)
            }
        }
        #expect(try await vault.summaries().isEmpty)
        try await vault.add(
            Item(title: "fits", notes: SecretText(String(repeating: "x", count: Item.maximumSize - 200)))
        )
        #expect(try await vault.verifyLog().revisions == 1)
        try await vault.close()
    }

    @Test func `a transaction that was kept is of no use`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        nonisolated(unsafe) var kept: VaultTransaction?
        try await vault.write { unsafe kept = $0 }
        let stale = unsafe kept
        #expect(throws: VaultError(.closed, "")) { try stale?.add(Item(title: "late")) }
        try await vault.close()
    }
}
