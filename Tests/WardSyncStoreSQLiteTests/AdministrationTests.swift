import Testing
import WardSyncRecords
import WardSyncStoreSQLite
import WardTesting

@Suite struct `What an operator sees of the sync server` {
    @Test func `sizes and visitors of each vault, page by page`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        #expect(try await store.overviews(after: nil, limit: 10).isEmpty)
        for number in UInt8(1)...3 {
            let keys = [SyncSample.key(1), SyncSample.key(2, isAllowed: false)]
            try await store.begin(number, SyncSample.chain(1, Int(number), blobs: 5), keys: keys)
        }
        try await store.open(SyncSample.session(60, of: 1, in: 2), limit: 4)
        let first = try await store.overviews(after: nil, limit: 2)
        #expect(first.map(\.vault.head) == [1, 2])
        let rest = try await store.overviews(after: first.last?.vault.id, limit: 2)
        #expect(rest.map(\.vault.head) == [3])
        #expect(try await store.overviews(after: rest.last?.vault.id, limit: 2).isEmpty)
        let second = first[1]
        #expect(second.devices == 1 && second.seenAt == 60 && first[0].seenAt == nil)
        let visitors = second.visitors.sorted { $0.isAllowed && !$1.isAllowed }
        #expect(visitors.map(\.entries) == [2, 0] && visitors[0].bytes == second.vault.bytes)
        #expect(visitors[0].seenAt == 60 && visitors[1].seenAt == nil)
        // What is seen of a device stays when its session has ended.
        _ = try await store.sweep(at: 1_000_000, limit: 100)
        #expect(try await store.overviews(after: nil, limit: 9)[1].seenAt == 60)
        try await store.close()
    }

    @Test func `the vaults of one account, in the order in which they were brought`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        for (number, account) in [(UInt8(3), "ada"), (1, nil), (2, "bob"), (4, "ada")] {
            try await store.begin(number, keys: [SyncSample.key(1)], account: account, limit: 5)
        }
        try await store.open(SyncSample.session(60, of: 1, in: 4), limit: 4)
        let owned = try await store.overviews(of: "ada")
        #expect(owned.map(\.vault.id) == [SyncSample.vaultID(3), SyncSample.vaultID(4)])
        #expect(owned.map(\.seenAt) == [nil, 60] && owned.map(\.devices) == [1, 1])
        #expect(try await store.overviews(of: "eve").isEmpty)
        try await store.close()
    }

    @Test func `a vault by the first digits of its ID, if they are of one alone`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        for number in UInt8(1)...40 { try await store.begin(number) }
        let id = SyncSample.vault(7).name
        for digits in [id, id.uppercased(), String(id.prefix(12))] {
            #expect(try await store.overview(startingWith: digits).vault.id == SyncSample.vaultID(7))
        }
        // Of 40 vaults some share their first digit.
        for digits in ["", "x", String(repeating: "0", count: 64), id + "0", "%", String(id.prefix(1))] {
            await #expect(throws: NoSuchSyncRecord.self, "\(digits)") {
                _ = try await store.overview(startingWith: digits)
            }
        }
        try await store.close()
    }

    @Test func `invitations that nobody used, and one that is withdrawn brings nothing`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        try await store.begin(1)
        for number in UInt8(2)...3 {
            try await store.add(
                SyncInvitation(token: SyncSample.token(number), createdAt: Int64(number), expiresAt: 100)
            )
        }
        let listed = try await store.invitations()
        #expect(listed.map(\.createdAt) == [2, 3])
        #expect(listed[0].id.count == 16 && listed[0].id != listed[1].id)
        try await store.withdraw(listed[0].id)
        await #expect(throws: NoSuchSyncRecord.self) { try await store.withdraw(listed[0].id) }
        await #expect(throws: SyncStoreError(.invitationNotValid)) {
            _ = try await store.create(
                SyncSample.vault(2, invitedBy: 2),
                SyncBatch(head: 0),
                limit: 1,
                room: .max,
                at: 5
            )
        }
        _ = try await store.create(SyncSample.vault(3, invitedBy: 3), SyncBatch(head: 0), limit: 1, room: .max, at: 5)
        #expect(try await store.invitations().isEmpty)
        try await store.close()
    }
}
