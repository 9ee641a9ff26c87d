import Foundation
import GRDB
package import WardLog
package import WardSyncRecords

extension SQLiteSyncStore {
    /// The number of observations that are kept: more than anybody asks for.
    private static let keptObservations: Int64 = 128
    /// Two observations are at least a day apart.
    private static let day: Int64 = 86_400

    package func observe(at now: Int64) async throws {
        try await write { db in
            let last = try Row.fetchOne(db, sql: "SELECT number, made_at FROM observation ORDER BY number DESC LIMIT 1")
            let (number, madeAt): (Int64, Int64) = last.map { ($0[0], $0[1]) } ?? (0, .min / 2)
            if now < madeAt {
                // The clock was ahead, or is behind now: the day begins anew.
                try db.run("UPDATE observation SET made_at = ? WHERE number = ?", [now, number])
                return
            }
            guard now - madeAt >= Self.day else { return }
            try db.run("INSERT INTO observation (number, made_at) VALUES (?, ?)", [number + 1, now])
            try db.run(
                """
                INSERT INTO reached (vault, observation, head) SELECT key, ?, head FROM vault v
                WHERE head > (SELECT coalesce(max(head), 0) FROM reached WHERE vault = v.key)
                """,
                [number + 1]
            )
            // Of what is older than every question, the last one is enough.
            let oldest = number + 1 - Self.keptObservations
            try db.run("DELETE FROM observation WHERE number < ?", [oldest])
            try db.run(
                """
                DELETE FROM reached WHERE observation < ?1 AND EXISTS (
                    SELECT 1 FROM reached r
                    WHERE r.vault = reached.vault AND r.observation > reached.observation AND r.observation <= ?1
                )
                """,
                [oldest]
            )
        }
    }

    package func nextClearing(superseded: Int64, removed: Int64) async throws -> SyncClearing? {
        try await read { db in
            guard let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM observation"),
                let row = try Row.fetchOne(
                    db,
                    sql: "SELECT id, key FROM vault WHERE cleared_at < ? ORDER BY cleared_at, key LIMIT 1",
                    arguments: [last]
                ), let id = VaultID(Array(row[0] as Data)), let (key, vault) = try Self.find(id, db)
            else { return nil }
            func head(_ observations: Int64) throws -> Int64 {
                try Int64.fetchOne(
                    db,
                    sql: "SELECT coalesce(max(head), 0) FROM reached WHERE vault = ? AND observation <= ?",
                    arguments: [key, last - observations]
                ) ?? 0
            }
            return SyncClearing(
                vault: vault,
                superseded: try head(superseded),
                removed: try head(removed),
                observation: last
            )
        }
    }

    package func lengths(of vault: VaultID, from first: Int64, to last: Int64) async throws -> [SyncLength] {
        try await read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT e.number, length(e.encoded), length(e.blob) FROM vault v JOIN entry e ON e.vault = v.key
                    WHERE v.id = ? AND e.number BETWEEN ? AND ? ORDER BY e.number
                    """,
                arguments: [vault.bytes.data, first, last]
            )
            var found: [SyncLength] = []
            while let row = try rows.next() { found.append(SyncLength(number: row[0], entry: row[1], blob: row[2])) }
            return found
        }
    }

    package func clear(
        _ numbers: [Int64],
        of vault: SyncVault,
        doneAt observation: Int64?
    ) async throws -> SyncVault {
        try await write { db in
            guard let (key, current) = try Self.find(vault.id, db), current.order == vault.order else {
                throw SyncStoreError(.vaultNotFound)
            }
            var after = current
            for number in numbers {
                guard
                    let row = try Row.fetchOne(
                        try db.cachedStatement(
                            sql: """
                                SELECT key, device, length(blob) FROM entry
                                WHERE vault = ? AND number = ? AND blob IS NOT NULL
                                """
                        ),
                        arguments: [key, number]
                    )
                else { continue }
                let (entry, device, length): (Int64, Data, Int64) = (row[0], row[1], row[2])
                try db.run("UPDATE entry SET blob = NULL WHERE key = ?", [entry])
                try db.run(
                    "UPDATE share SET bytes = bytes - ? WHERE vault = ? AND device = ?",
                    [length, key, device]
                )
                after.bytes -= length
            }
            try db.run(
                "UPDATE vault SET bytes = ?, cleared_at = coalesce(?, cleared_at) WHERE key = ?",
                [after.bytes, observation, key]
            )
            if after.bytes < current.bytes { try db.run("PRAGMA incremental_vacuum(1024)", []) }
            return after
        }
    }
}
