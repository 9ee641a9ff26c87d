import Foundation
import GRDB
package import WardLog
package import WardSyncRecords

extension SQLiteSyncStore {
    package func append(_ batch: SyncBatch, to vault: VaultID) async throws -> SyncVault {
        try await write { try Self.add(batch, to: vault, $0) }
    }

    /// Adds a batch to a vault, in the transaction that has begun.
    static func add(_ batch: SyncBatch, to id: VaultID, _ db: Database) throws -> SyncVault {
        guard let (key, before) = try find(id, db) else { throw SyncStoreError(.vaultNotFound) }
        var vault = before
        guard vault.head == batch.head else { throw SyncStoreError(.headMoved) }
        guard !batch.isEmpty else { return vault }
        var shares: [DeviceID: SyncShare] = [:]
        func count(_ device: DeviceID, entries: Int64, bytes: Int) {
            var share = shares[device] ?? SyncShare(device: device, entries: 0, bytes: 0)
            share.entries += entries
            share.bytes += Int64(bytes)
            shares[device] = share
            vault.bytes += Int64(bytes)
        }
        for addition in batch.additions {
            vault.head = addition.entry.number
            try insert(addition, key, db)
            count(addition.entry.device, entries: 1, bytes: addition.length)
        }
        for blob in batch.blobs {
            guard let device = try fill(blob, key, db) else { continue }
            count(device, entries: 0, bytes: blob.blob.count)
        }
        for share in shares.values {
            try db.run(
                """
                INSERT INTO share (vault, device, entries, bytes) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes
                """,
                [key, share.device.bytes.data, share.entries, share.bytes]
            )
        }
        for evidence in batch.evidence {
            try db.run(
                "INSERT INTO evidence (vault, first, second) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [key, evidence.first.data, evidence.second.data]
            )
        }
        if vault.circleRoot == nil { vault.circleRoot = batch.circleRoot }
        if batch.endsBringing { vault.invitation = nil }
        try db.run(
            "UPDATE vault SET head = ?, bytes = ?, circle_root = ?, invitation = ? WHERE key = ?",
            [vault.head, vault.bytes, vault.circleRoot?.data, vault.invitation?.bytes.data ?? Data(), key]
        )
        if let keys = batch.keys { try replace(keys, key, db) }
        return vault
    }

    private static func insert(_ addition: SyncBatch.Addition, _ vault: Int64, _ db: Database) throws {
        let entry = addition.entry
        try db.run(
            """
            INSERT INTO entry (vault, number, device, sequence, hash, encoded, blob) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                vault, entry.number, entry.device.bytes.data, entry.sequence, entry.hash.data, entry.encoded.data,
                entry.blob?.data,
            ]
        )
        if let previous = addition.previous {
            try db.run("DELETE FROM head WHERE vault = ? AND hash = ?", [vault, previous.data])
        }
        try db.run("INSERT INTO head (vault, hash, number) VALUES (?, ?, ?)", [vault, entry.hash.data, entry.number])
    }

    /// Fills a blob in, and returns the device of its entry; `nil` if the entry is not there or has a blob.
    private static func fill(_ blob: SyncBlob, _ vault: Int64, _ db: Database) throws -> DeviceID? {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE entry SET blob = ?
                WHERE vault = ? AND substr(hash, 1, 8) = substr(?, 1, 8) AND hash = ? AND blob IS NULL
                RETURNING device
                """
        )
        let hash = blob.entry.data
        let row = try Data.fetchOne(statement, arguments: [blob.blob.data, vault, hash, hash])
        return row.flatMap { DeviceID(Array($0)) }
    }

    private static func replace(_ keys: [SyncKey], _ vault: Int64, _ db: Database) throws {
        try db.run("DELETE FROM device_key WHERE vault = ?", [vault])
        for key in keys {
            try db.run(
                """
                INSERT INTO device_key (vault, subject, public_key, is_allowed) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET public_key = excluded.public_key, is_allowed = excluded.is_allowed
                """,
                [vault, key.subject.bytes.data, key.publicKey.data, key.isAllowed]
            )
        }
        try db.run(
            """
            DELETE FROM session WHERE vault = ?1 AND subject NOT IN (
                SELECT subject FROM device_key WHERE vault = ?1 AND is_allowed = 1
            )
            """,
            [vault]
        )
    }

    // MARK: Reading

    /// The number of entries that are read on the calling thread.
    private static let few = 8
    private static let columns = "e.number, e.device, e.sequence, e.hash, e.encoded"

    package func entries(of vault: VaultID, after number: Int64, _ page: SyncPage) async throws -> [SyncEntry] {
        let body = { @Sendable (db: Database) throws in
            try Self.page(
                """
                SELECT \(Self.columns)\(page.hasBlobs ? ", e.blob" : "")
                FROM vault v JOIN entry e ON e.vault = v.key
                WHERE v.id = ? AND e.number > ? AND e.number <= ? ORDER BY e.number LIMIT ?
                """,
                [vault.bytes.data, number, page.last, page.entries],
                page,
                db
            )
        }
        return page.entries <= Self.few ? try readHere(body) : try await read(body)
    }

    package func entries(
        of vault: VaultID,
        by device: DeviceID,
        from sequence: Int64,
        after number: Int64,
        _ page: SyncPage
    ) async throws -> [SyncEntry] {
        try await read { db in
            try Self.page(
                """
                SELECT \(Self.columns)\(page.hasBlobs ? ", e.blob" : "")
                FROM vault v JOIN entry e ON e.vault = v.key
                WHERE v.id = ? AND e.device = ? AND (e.sequence, e.number) > (?, ?) AND e.number <= ?
                ORDER BY e.sequence, e.number LIMIT ?
                """,
                [vault.bytes.data, device.bytes.data, sequence, number, page.last, page.entries],
                page,
                db
            )
        }
    }

    package func heads(of vault: VaultID) async throws -> [Int64] {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT h.number FROM vault v JOIN head h ON h.vault = v.key WHERE v.id = ? ORDER BY h.number"
            )
            return try Int64.fetchAll(statement, arguments: [vault.bytes.data])
        }
    }

    private static func page(
        _ sql: String,
        _ arguments: StatementArguments,
        _ page: SyncPage,
        _ db: Database
    ) throws -> [SyncEntry] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var (found, bytes): ([SyncEntry], Int) = ([], 0)
        while let row = try rows.next() {
            let entry = try entry(row)
            bytes += entry.encoded.count + (entry.blob?.count ?? 0)
            guard found.isEmpty || bytes <= page.bytes else { break }
            found.append(entry)
        }
        return found
    }

    private static func entry(_ row: Row, from first: Int = 0) throws -> SyncEntry {
        guard let device = DeviceID(Array(row[first + 1] as Data)) else {
            throw SyncStoreError(.damaged, detail: "an entry has no device")
        }
        return SyncEntry(
            number: row[first],
            device: device,
            sequence: row[first + 2],
            hash: Array(row[first + 3] as Data),
            encoded: Array(row[first + 4] as Data),
            blob: row.count > first + 5 ? (row[first + 5] as Data?).map(Array.init) : nil
        )
    }

    package func entriesWithoutBlob(of vault: VaultID, among hashes: [[UInt8]]) async throws -> Set<[UInt8]> {
        try await read { db in
            guard let (key, _) = try Self.find(vault, db) else { return [] }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM entry
                    WHERE vault = ?1 AND substr(hash, 1, 8) = substr(?2, 1, 8) AND hash = ?2 AND blob IS NULL
                    """
            )
            return Set(
                try hashes.filter { try Int.fetchOne(statement, arguments: [key, $0.data]) != nil }
            )
        }
    }

    package func contradictions(of vault: VaultID, limit: Int) async throws -> [SyncContradiction] {
        try await read { db in
            guard let (key, _) = try Self.find(vault, db) else { return [] }
            let pairs = try Row.fetchAll(
                db,
                sql: "SELECT first, second FROM evidence WHERE vault = ? ORDER BY key LIMIT ?",
                arguments: [key, limit]
            )
            return try pairs.compactMap { pair in
                guard let first = try Self.entry(pair[0], key, db), let second = try Self.entry(pair[1], key, db) else {
                    return nil
                }
                return SyncContradiction(first: first, second: second)
            }
        }
    }

    private static func entry(_ hash: Data, _ vault: Int64, _ db: Database) throws -> SyncEntry? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(columns) FROM entry e
                WHERE e.vault = ?1 AND substr(e.hash, 1, 8) = substr(?2, 1, 8) AND e.hash = ?2
                """
        )
        return try Row.fetchOne(statement, arguments: [vault, hash]).map { try entry($0) }
    }

    package func shares(of vault: VaultID) async throws -> [SyncShare] {
        try readHere { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT s.device, s.entries, s.bytes FROM vault v JOIN share s ON s.vault = v.key WHERE v.id = ?
                    """
            )
            let rows = try Row.fetchAll(statement, arguments: [vault.bytes.data])
            return rows.compactMap { row in
                DeviceID(Array(row[0] as Data)).map { SyncShare(device: $0, entries: row[1], bytes: row[2]) }
            }
        }
    }
}
