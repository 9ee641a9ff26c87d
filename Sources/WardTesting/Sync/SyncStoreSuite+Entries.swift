import WardLog
import WardSyncRecords

extension SyncStoreSuite {
    private static let vault = SyncSample.vaultID(1)
    private static let everything = SyncPage(entries: 1_000)

    private static func numbers(_ entries: [SyncEntry]) -> [Int64] { entries.map(\.number) }

    static let entries: [Check] = [
        Check("entries come back byte for byte, numbered as they arrived") { store in
            let records = SyncSample.chain(1, 3, blobs: 5) + [SyncSample.record(2, 1)]
            try await store.begin(1, Array(records[..<2]))
            let after = try await store.append(SyncBatch(head: 2, records: Array(records[2...])), to: vault)
            try expect(after.head, equals: 4)
            let found = try await store.entries(of: vault, after: 0, everything)
            let expected = records.enumerated().map { index, record in
                SyncEntry(
                    number: Int64(index + 1),
                    device: record.entry.entry.device,
                    sequence: Int64(record.sequence),
                    hash: record.entry.hash,
                    encoded: record.entry.encoded,
                    blob: record.blob
                )
            }
            try expect(found, equals: expected)
            try expect(numbers(try await store.entries(of: vault, after: 3, everything)), equals: [4])
            try expect(numbers(try await store.entries(of: vault, after: 4, everything)), equals: [])
            try expect(numbers(try await store.entries(of: vault, after: .max, everything)), equals: [])
            try expect(numbers(try await store.entries(of: vault, after: .min, everything)), equals: [1, 2, 3, 4])
        },
        Check("an empty blob is a blob") { store in
            try await store.begin(1, [SyncSample.record(1, 1, blob: [])])
            try expect(try await store.entries(of: vault, after: 0, everything).first?.blob, equals: [])
        },
        Check("a page ends at its number of entries, and before its length") { store in
            let records = SyncSample.chain(1, 6, blobs: 1_000)
            try await store.begin(1, records)
            let page = try await store.entries(of: vault, after: 1, SyncPage(entries: 2))
            try expect(numbers(page), equals: [2, 3])
            let one = records[1].entry.encoded.count + 1_000
            let short = try await store.entries(of: vault, after: 1, SyncPage(entries: 9, bytes: 2 * one + 10))
            try expect(numbers(short), equals: [2, 3])
            // A page has at least one entry, or a reader would never go on.
            let first = try await store.entries(of: vault, after: 1, SyncPage(entries: 9, bytes: 1))
            try expect(numbers(first), equals: [2])
            let bare = SyncPage(entries: 9, bytes: 2 * one, hasBlobs: false)
            let without = try await store.entries(of: vault, after: 1, bare)
            try expect(without.count == 5 && without.allSatisfy { $0.blob == nil }, "blobs are not read")
        },
        Check("a page ends at the last number, also of one device") { store in
            let first = SyncSample.chain(1, 3)
            let fork = SyncSample.record(1, 2, after: first[0], salt: 1)
            try await store.begin(1, [first[0], first[1], first[2], fork])
            let page = SyncPage(entries: 9, upTo: 3)
            try expect(numbers(try await store.entries(of: vault, after: 1, page)), equals: [2, 3])
            // The entry with number 4 stands before the one with number 3.
            let own = try await store.entries(of: vault, by: SyncSample.device(1), from: 1, after: 0, page)
            try expect(numbers(own), equals: [1, 2, 3])
            let one = SyncPage(entries: 1, upTo: 3)
            let next = try await store.entries(of: vault, by: SyncSample.device(1), from: 2, after: 2, one)
            try expect(numbers(next), equals: [3])
        },
        Check("entries of one device come in its order") { store in
            let first = SyncSample.chain(1, 3)
            let other = SyncSample.chain(2, 2)
            let fork = SyncSample.record(1, 2, after: first[0], salt: 1)
            try await store.begin(1, [first[0], other[0], first[1], other[1], first[2], fork])
            let device = SyncSample.device(1)
            try expect(
                numbers(try await store.entries(of: vault, by: device, from: 0, after: 0, everything)),
                equals: [1, 3, 6, 5]
            )
            try expect(
                numbers(try await store.entries(of: vault, by: device, from: 2, after: 0, SyncPage(entries: 2))),
                equals: [3, 6]
            )
            try expect(
                numbers(try await store.entries(of: vault, by: device, from: 2, after: 3, everything)),
                equals: [6, 5]
            )
            try expect(
                numbers(try await store.entries(of: vault, by: device, from: 4, after: 0, everything)),
                equals: []
            )
            let stranger = SyncSample.device(9)
            try expect(
                numbers(try await store.entries(of: vault, by: stranger, from: 0, after: 0, everything)),
                equals: []
            )
        },
        Check("heads are the last entries of all chains") { store in
            let first = SyncSample.chain(1, 3, blobs: 4)
            let fork = SyncSample.record(1, 2, after: first[0], salt: 1)
            try await store.begin(1, [first[0], SyncSample.record(2, 1)])
            try expect(try await store.heads(of: vault), equals: [1, 2])
            _ = try await store.append(SyncBatch(head: 2, records: [first[1], first[2], fork]), to: vault)
            try expect(try await store.heads(of: vault), equals: [2, 4, 5])
        },
        Check("an upload that was checked against another head changes nothing") { store in
            let records = SyncSample.chain(1, 3)
            try await store.begin(1, [records[0]])
            for head in [Int64(0), 2] {
                try await refused(.headMoved) {
                    _ = try await store.append(
                        SyncBatch(head: head, records: [records[1]], circleRoot: SyncSample.bytes(9)),
                        to: vault
                    )
                }
            }
            try await refused(.vaultNotFound) {
                _ = try await store.append(SyncBatch(head: 0, records: records), to: SyncSample.vaultID(9))
            }
            try expect(try await store.vault(vault)?.head, equals: 1)
            try expect(try await store.vault(vault)?.circleRoot, equals: nil)
        },
        Check("of uploads at the same time one is taken") { store in
            try await store.begin(1, [SyncSample.record(1, 1)])
            let results = await parallel(8) { index in
                let record = SyncSample.record(UInt8(index + 2), 1)
                return try await store.append(SyncBatch(head: 1, records: [record]), to: vault).head
            }
            try expect(results.count { (try? $0.get()) == 2 }, equals: 1)
            try expect(try await store.entries(of: vault, after: 0, everything).count, equals: 2)
        },
        Check("a blob is filled in once, and counted") { store in
            let records = [SyncSample.record(1, 1), SyncSample.record(1, 2, blob: [1])]
            let hashes = records.map(\.entry.hash)
            let before = try await store.begin(1, records)
            try expect(
                try await store.entriesWithoutBlob(of: vault, among: hashes + [SyncSample.bytes(9)]),
                equals: [hashes[0]]
            )
            try expect(try await store.entriesWithoutBlob(of: vault, among: []), equals: [])
            let blobs = [SyncBlob(entry: hashes[0], blob: [7, 8]), SyncBlob(entry: hashes[1], blob: [9])]
            let after = try await store.append(SyncBatch(head: 2, blobs: blobs), to: vault)
            try expect(after.bytes, equals: before.bytes + 2)
            try expect(after.head, equals: 2)
            _ = try await store.append(SyncBatch(head: 2, blobs: [SyncBlob(entry: hashes[0], blob: [3])]), to: vault)
            let found = try await store.entries(of: vault, after: 0, everything)
            try expect(found.map(\.blob), equals: [[7, 8], [1]])
            try expect(try await store.vault(vault)?.bytes, equals: after.bytes)
            try expect(try await store.shares(of: vault).map(\.bytes), equals: [after.bytes])
            try expect(try await store.entriesWithoutBlob(of: vault, among: hashes), equals: [])
        },
        Check("each device's part is counted") { store in
            let (first, second) = (SyncSample.chain(1, 3, blobs: 10), SyncSample.chain(2, 1))
            try await store.begin(1, first)
            let after = try await store.append(SyncBatch(head: 3, records: second), to: vault)
            let found = try await store.shares(of: vault)
            let expected = [first, second].map { (records: [LogRecord]) -> SyncShare in
                let lengths = records.map { $0.entry.encoded.count + ($0.blob?.count ?? 0) }
                return SyncShare(
                    device: records[0].entry.entry.device,
                    entries: Int64(records.count),
                    bytes: Int64(lengths.reduce(0, +))
                )
            }
            try expect(found.sorted { $0.device < $1.device }, equals: expected.sorted { $0.device < $1.device })
            try expect(after.bytes, equals: expected.reduce(0) { $0 + $1.bytes })
        },
        Check("the entry that begins the circle is named once") { store in
            try await store.begin(1)
            let batch = SyncBatch(head: 0, circleRoot: SyncSample.bytes(1))
            try expect(try await store.append(batch, to: vault).circleRoot, equals: SyncSample.bytes(1))
            let other = SyncBatch(head: 0, circleRoot: SyncSample.bytes(2))
            try expect(try await store.append(other, to: vault).circleRoot, equals: SyncSample.bytes(1))
        },
        Check("evidence is kept once, with both entries") { store in
            let records = [SyncSample.record(1, 1), SyncSample.record(1, 1, salt: 1)]
            let evidence = SyncEvidence(
                device: SyncSample.device(1),
                sequence: 1,
                first: records[0].entry.hash,
                second: records[1].entry.hash
            )
            try await store.begin(1, records)
            try expect(try await store.contradictions(of: vault, limit: 10), equals: [])
            for _ in 0..<2 {
                _ = try await store.append(SyncBatch(head: 2, evidence: [evidence]), to: vault)
            }
            let found = try await store.contradictions(of: vault, limit: 10)
            try expect(found.map { [$0.first.number, $0.second.number] }, equals: [[1, 2]])
            try expect(found.first?.second.encoded, equals: records[1].entry.encoded)
            try expect(try await store.contradictions(of: vault, limit: 0), equals: [])
        },
        Check("vaults do not touch each other") { store in
            try await store.begin(1, SyncSample.chain(1, 2))
            try await store.begin(2, SyncSample.chain(1, 2))
            _ = try await store.append(SyncBatch(head: 2, records: [SyncSample.record(3, 1)]), to: vault)
            try expect(try await store.vault(SyncSample.vaultID(2))?.head, equals: 2)
            try expect(try await store.entries(of: SyncSample.vaultID(2), after: 0, everything).count, equals: 2)
        },
    ]
}
