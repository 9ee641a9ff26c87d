import Testing
import WardVault

/// The list of all items, which is put in order once and kept so.
@Suite struct `The list of items` {
    private func check(_ vault: Vault) async throws {
        for inTrash in [false, true] {
            let found = try await vault.summaries(inTrash: inTrash)
            let sorted = found.sorted { left, right in
                if left.isFavorite != right.isFavorite { return left.isFavorite }
                let (mine, other) = (left.title.lowercased(), right.title.lowercased())
                return mine == other ? left.id < right.id : mine < other
            }
            #expect(found == sorted)
            #expect(found.allSatisfy { $0.isInTrash == inTrash })
            for summary in found { #expect(try await vault.summary(summary.id) == summary) }
        }
        let status = try await vault.status()
        #expect(try await vault.summaries().count == status.items)
        #expect(try await vault.summaries(inTrash: true).count == status.trashed)
    }

    @Test func `stays in order through every kind of change`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await check(vault)
        var ids: [ItemID] = []
        for number in 0..<30 {
            let item = Item(title: ["b", "A", "c", "a"][number % 4] + " \(number % 5)", isFavorite: number % 7 == 0)
            ids.append(try await vault.add(item))
        }
        try await check(vault)
        try await vault.edit(ids[3]) { $0.title = "zz" }
        try await vault.edit(ids[4]) { $0.isFavorite.toggle() }
        let trashed = ids[5..<9]
        try await vault.write { transaction in for id in trashed { try transaction.trash(id) } }
        try await check(vault)
        let (back, gone) = (ids[5], ids[6])
        try await vault.write { transaction in
            try transaction.restore(back)
            try transaction.purge(gone)
        }
        try await check(vault)
        await vault.saveIndexNow()
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase())
        try await check(vault)
        try await vault.edit(ids[0]) { $0.title = "after the index" }
        try await check(vault)
        try await vault.close()
    }

    /// On both sides of the number from which on results are no longer ordered one by one.
    @Test(arguments: [10, 64, 65, 200]) func `a search gives its results in order, few or many`(count: Int) async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let items = (0..<count).map { Item(title: "item \($0 * 7919 % count)", tags: ["word"]) }
        try await vault.write { transaction in
            for item in items { try transaction.add(item) }
            try transaction.add(Item(title: "other"))
        }
        let first = items[0].id
        try await vault.write { try $0.trash(first) }
        for _ in 0..<2 {
            let found = try await vault.summaries(matching: "word")
            let all = try await vault.summaries().filter { $0.tags == ["word"] }
            #expect(found == all)
            #expect(found.count == count - 1)
            #expect(try await vault.summaries(matching: "word", inTrash: true).map(\.id) == [first])
            await vault.saveIndexNow()
            await vault.lock()
            try await vault.unlock(with: VaultFixture.passphrase())
        }
        try await vault.close()
    }
}
