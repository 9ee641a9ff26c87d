import WardLog
import WardSyncRecords

extension SyncStoreSuite {
    private static let vault = SyncSample.vaultID(1)
    private static let day: Int64 = 86_400

    /// How far the only vault was one and two observations ago, and marks it as done.
    private static func reached(_ store: any SyncStore) async throws -> [Int64]? {
        guard let next = try await store.nextClearing(superseded: 2, removed: 1) else { return nil }
        try expect(next.vault.id, equals: vault)
        _ = try await store.clear([], of: next.vault, doneAt: next.observation)
        return [next.removed, next.superseded]
    }

    static let clearing: [Check] = [
        Check("a store knows how far a vault was days ago") { store in
            try await store.begin(1, SyncSample.chain(1, 3))
            try expect(try await reached(store), equals: nil)
            try await store.observe(at: 1_000)
            try expect(try await reached(store), equals: [0, 0])
            try expect(try await reached(store), equals: nil)
            try await store.observe(at: 999 + day)
            try expect(try await reached(store), equals: nil)
            try await store.observe(at: 1_000 + day)
            try expect(try await reached(store), equals: [3, 0])
            _ = try await store.append(SyncBatch(head: 3, records: SyncSample.chain(2, 2)), to: vault)
            for (number, expected) in [(Int64(2), [Int64(3), 3]), (3, [5, 3]), (4, [5, 5])] {
                try await store.observe(at: 1_000 + number * day)
                try expect(try await reached(store), equals: expected)
            }
        },
        Check("a clock that jumps ahead counts as one day, and a day begins anew when it goes back") { store in
            try await store.begin(1, SyncSample.chain(1, 3))
            try await store.observe(at: 1_000)
            try expect(try await reached(store), equals: [0, 0])
            try await store.observe(at: 1_000 + 500 * day)
            try expect(try await reached(store), equals: [3, 0])
            for time in [2_000, 1_999 + day] {
                try await store.observe(at: time)
                try expect(try await reached(store), equals: nil)
            }
            try await store.observe(at: 2_000 + day)
            try expect(try await reached(store), equals: [3, 3])
        },
        Check("many days later a store still knows how far a vault was") { store in
            try await store.begin(1, SyncSample.chain(1, 3))
            for number in Int64(0)..<300 { try await store.observe(at: number * day) }
            let next = try await store.nextClearing(superseded: 90, removed: 30)
            try expect(next?.superseded, equals: 3)
            try expect(next?.removed, equals: 3)
            try expect(next?.observation, equals: 300)
        },
        Check("each vault is looked at in turn") { store in
            for number in UInt8(1)...3 { try await store.begin(number) }
            try await store.observe(at: 0)
            var seen: Set<VaultID> = []
            while let next = try await store.nextClearing(superseded: 2, removed: 1) {
                try expect(seen.insert(next.vault.id).inserted, "a vault comes once")
                _ = try await store.clear([], of: next.vault, doneAt: next.observation)
            }
            try expect(seen.count, equals: 3)
        },
        Check("blobs are cleared once, and counted no more") { store in
            let records = SyncSample.chain(1, 3, blobs: 5) + [SyncSample.record(2, 1)]
            let before = try await store.begin(1, records)
            let lengths = try await store.lengths(of: vault, from: 2, to: 9)
            try expect(lengths.map(\.number), equals: [2, 3, 4])
            try expect(lengths.map(\.blob), equals: [5, 5, nil])
            try expect(lengths.map(\.entry), equals: records[1...].map { Int64($0.entry.encoded.count) })
            for _ in 0..<2 {
                let after = try await store.clear([1, 3, 4, 77], of: before, doneAt: nil)
                try expect(after.bytes, equals: before.bytes - 10)
                try expect(after.head, equals: 4)
                try expect(try await store.vault(vault), equals: after)
            }
            let found = try await store.entries(of: vault, after: 0, SyncPage(entries: 9))
            try expect(found.map { $0.blob == nil }, equals: [true, false, true, true])
            let own = try await store.shares(of: vault).first { $0.device == SyncSample.device(1) }
            let expected = records[..<3].reduce(Int64(5)) { $0 + Int64($1.entry.encoded.count) }
            try expect(own?.bytes, equals: expected)
            // A device can bring it again.
            let blob = SyncBlob(entry: records[0].entry.hash, blob: [7])
            let filled = try await store.append(SyncBatch(head: 4, blobs: [blob]), to: vault)
            try expect(filled.bytes, equals: before.bytes - 9)
        },
        Check("nothing is cleared of a vault that was brought again") { store in
            let before = try await store.begin(1, SyncSample.chain(1, 2, blobs: 5))
            var other = before
            other.order = SyncSample.bytes(9, SyncVault.orderLength)
            try await refused(.vaultNotFound) { _ = try await store.clear([1], of: other, doneAt: 3) }
            try expect(try await store.vault(vault), equals: before)
            _ = try await store.delete(vault)
            try await refused(.vaultNotFound) { _ = try await store.clear([1], of: before, doneAt: nil) }
        },
    ]
}
