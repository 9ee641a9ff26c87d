import Foundation
import GRDB
package import WardLog
package import WardSyncRecords

extension SQLiteSyncStore {
    package func key(of subject: SyncSubject, in vault: VaultID) async throws -> SyncKey? {
        try readHere { try Self.key(of: subject, in: vault, $0)?.key }
    }

    private static func key(
        of subject: SyncSubject,
        in vault: VaultID,
        _ db: Database
    ) throws -> (vault: Int64, key: SyncKey)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT v.key, k.public_key, k.is_allowed FROM vault v JOIN device_key k ON k.vault = v.key
                WHERE v.id = ? AND k.subject = ?
                """
        )
        guard let row = try Row.fetchOne(statement, arguments: [vault.bytes.data, subject.bytes.data]) else {
            return nil
        }
        return (row[0], SyncKey(subject: subject, publicKey: Array(row[1] as Data), isAllowed: row[2]))
    }

    package func open(_ session: SyncSession, limit: Int) async throws {
        try await write { db in
            guard let (vault, key) = try Self.key(of: session.subject, in: session.vault, db), key.isAllowed else {
                throw SyncStoreError(.keyNotAllowed)
            }
            try db.run(
                """
                INSERT INTO session (token, vault, subject, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [
                    session.token.bytes.data, vault, session.subject.bytes.data, session.createdAt, session.expiresAt,
                ]
            )
            guard db.changesCount == 1 else { throw SyncStoreError(.conflict) }
            try db.run(
                """
                INSERT INTO contact (vault, subject, seen_at) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at
                """,
                [vault, session.subject.bytes.data, session.createdAt]
            )
            try db.run(
                """
                DELETE FROM session WHERE vault = ?1 AND subject = ?2 AND key NOT IN (
                    SELECT key FROM session WHERE vault = ?1 AND subject = ?2 ORDER BY key DESC LIMIT ?3
                )
                """,
                [vault, session.subject.bytes.data, limit]
            )
        }
    }

    package func visit(_ token: TokenHash, at now: Int64) async throws -> SyncVisit? {
        try readHere { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(Self.vaultColumns), session.subject, session.created_at, session.expires_at
                    FROM session JOIN vault ON vault.key = session.vault
                    WHERE session.token = ? AND session.expires_at > ?
                    """
            )
            guard let row = try Row.fetchOne(statement, arguments: [token.bytes.data, now]) else { return nil }
            let vault = try Self.vault(row)
            guard let subject = SyncSubject(Array(row[9] as Data)) else {
                throw SyncStoreError(.damaged, detail: "a session has no device")
            }
            let session = SyncSession(
                token: token,
                vault: vault.id,
                subject: subject,
                createdAt: row[10],
                expiresAt: row[11]
            )
            return SyncVisit(session: session, vault: vault)
        }
    }

    package func close(_ token: TokenHash) async throws {
        try await write { try $0.run("DELETE FROM session WHERE token = ?", [token.bytes.data]) }
    }
}
