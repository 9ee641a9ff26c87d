import Foundation
import GRDB
package import WardLog
package import WardSyncRecords

/// What operators and the owners of vaults ask of a server.
extension SQLiteSyncStore {
    // MARK: Vaults

    /// Vaults in the order in which they were brought.
    ///
    /// - Parameters:
    ///   - last: The last vault of the page before; `nil` for the first page.
    ///   - limit: The maximum number of vaults.
    /// - Returns: The vaults; none after the last page.
    /// - Throws: `SyncStoreError`.
    package func overviews(after last: VaultID?, limit: Int) async throws -> [SyncVaultOverview] {
        try await read { db in
            let key = try last.map { try Self.find($0, db)?.key ?? .max } ?? 0
            let ids = try Data.fetchAll(
                db,
                sql: "SELECT id FROM vault WHERE key > ? ORDER BY key LIMIT ?",
                arguments: [key, limit]
            )
            return try Self.overviews(ids, db)
        }
    }

    /// The vaults of an account, in the order in which they were brought.
    package func overviews(of account: String) async throws -> [SyncVaultOverview] {
        try await read { db in
            let ids = try Data.fetchAll(
                db,
                sql: "SELECT id FROM vault WHERE account = ? ORDER BY key",
                arguments: [account]
            )
            return try Self.overviews(ids, db)
        }
    }

    /// The only vault whose ID begins with these digits.
    ///
    /// - Parameter prefix: Hexadecimal digits.
    /// - Returns: The vault.
    /// - Throws: ``NoSuchSyncRecord`` if there is none, or more than one.
    package func overview(startingWith prefix: String) async throws -> SyncVaultOverview {
        try await read { db in
            let ids = try Data.fetchAll(
                db,
                sql: "SELECT id FROM vault WHERE substr(lower(hex(id)), 1, length(?1)) = ?1 LIMIT 2",
                arguments: [prefix.lowercased()]
            )
            guard !prefix.isEmpty, ids.count == 1, let id = VaultID(Array(ids[0])),
                let found = try Self.overview(id, db)
            else {
                throw NoSuchSyncRecord(
                    description: ids.count > 1 && !prefix.isEmpty
                        ? "several vaults have an ID that begins so. Give more digits."
                        : "there is no vault with this ID. List all of them: ward-server sync list"
                )
            }
            return found
        }
    }

    private static func overviews(_ ids: [Data], _ db: Database) throws -> [SyncVaultOverview] {
        try ids.compactMap { try VaultID(Array($0)).flatMap { try overview($0, db) } }
    }

    private static func overview(_ id: VaultID, _ db: Database) throws -> SyncVaultOverview? {
        guard let (key, vault) = try find(id, db) else { return nil }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT k.subject, k.is_allowed, coalesce(s.entries, 0), coalesce(s.bytes, 0), c.seen_at
                FROM device_key k LEFT JOIN share s ON s.vault = k.vault AND s.device = k.subject
                LEFT JOIN contact c ON c.vault = k.vault AND c.subject = k.subject
                WHERE k.vault = ? ORDER BY k.subject
                """,
            arguments: [key]
        )
        return SyncVaultOverview(
            vault: vault,
            visitors: rows.compactMap { row in
                SyncSubject(Array(row[0] as Data)).map { subject in
                    SyncVaultOverview.Visitor(
                        subject: subject,
                        isAllowed: row[1],
                        entries: row[2],
                        bytes: row[3],
                        seenAt: row[4]
                    )
                }
            }
        )
    }

    // MARK: Invitations

    /// The invitations that nobody has used, with those that have expired and were not swept yet.
    package func invitations() async throws -> [SyncInvitation] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT token, created_at, expires_at FROM invitation ORDER BY created_at, token"
            )
            return rows.map { row in
                SyncInvitation(token: TokenHash(Array(row[0] as Data)), createdAt: row[1], expiresAt: row[2])
            }
        }
    }

    /// Withdraws an invitation: it brings no vault from then on.
    ///
    /// - Parameter id: ``SyncInvitation/id``.
    /// - Throws: ``NoSuchSyncRecord`` if there is none.
    package func withdraw(_ id: String) async throws {
        let known = try await invitations().first { $0.id == id.lowercased() }
        guard let known else {
            throw NoSuchSyncRecord(
                description:
                    "there is no invitation with this ID, or it was used. List all of them: ward-server sync invitations"
            )
        }
        try await write { try $0.run("DELETE FROM invitation WHERE token = ?", [known.token.bytes.data]) }
    }
}
