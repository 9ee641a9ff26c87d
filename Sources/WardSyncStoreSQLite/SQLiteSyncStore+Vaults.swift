import Foundation
import GRDB
package import WardLog
import WardSQLite
package import WardSyncRecords

extension SQLiteSyncStore {
    package func create(
        _ vault: SyncVault,
        _ batch: SyncBatch,
        limit: Int,
        room: Int64,
        at now: Int64
    ) async throws -> SyncVault {
        try await write { db in
            guard let invitation = vault.invitation else { throw SyncStoreError(.invitationNotValid) }
            if let (key, there) = try Self.find(vault.id, db) {
                guard there.invitation != invitation else { return there }
                return try Self.replaceInvitation(of: there, key, by: invitation, at: now, db)
            }
            let account = try Self.use(invitation, limit: limit, at: now, db)
            try db.run(
                """
                INSERT INTO vault (id, entry_order, created_at, invitation, account, circle_root, head, bytes)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                """,
                [
                    vault.id.bytes.data, vault.order.data, vault.createdAt, invitation.bytes.data, account,
                    vault.circleRoot?.data,
                ]
            )
            let stored = try Self.add(batch, to: vault.id, db)
            if let account { try Self.checkRoom(of: account, room, db) }
            return stored
        }
    }

    /// Another invitation of the account brings the rest of a vault.
    private static func replaceInvitation(
        of vault: SyncVault,
        _ key: Int64,
        by invitation: TokenHash,
        at now: Int64,
        _ db: Database
    ) throws -> SyncVault {
        let account = try take(invitation, at: now, db)
        // The transaction is rolled back, so the invitation stays.
        guard let account, account == vault.account, vault.invitation != nil else { throw SyncStoreError(.vaultExists) }
        try db.run("UPDATE vault SET invitation = ? WHERE key = ?", [invitation.bytes.data, key])
        var vault = vault
        vault.invitation = invitation
        return vault
    }

    /// Takes an invitation away, and returns its account.
    private static func take(_ invitation: TokenHash, at now: Int64, _ db: Database) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM invitation WHERE token = ? AND expires_at > ? RETURNING account"
        )
        guard let row = try Row.fetchAll(statement, arguments: [invitation.bytes.data, now]).first else {
            throw SyncStoreError(.invitationNotValid)
        }
        return row[0]
    }

    /// Uses an invitation up for a new vault, and returns its account.
    private static func use(_ invitation: TokenHash, limit: Int, at now: Int64, _ db: Database) throws -> String? {
        guard let account = try take(invitation, at: now, db) else { return nil }
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM vault WHERE account = ?", arguments: [account])
        // The transaction is rolled back, so the invitation stays.
        guard count ?? 0 < limit else { throw SyncStoreError(.tooManyVaults) }
        return account
    }

    /// Checks the length of all vaults of an account, with one that was stored a moment ago.
    private static func checkRoom(of account: String, _ room: Int64, _ db: Database) throws {
        let bytes = try Int64.fetchOne(db, sql: "SELECT sum(bytes) FROM vault WHERE account = ?", arguments: [account])
        // The transaction is rolled back, so the invitation stays.
        guard bytes ?? 0 <= room else { throw SyncStoreError(.accountFull) }
    }

    package func vault(_ id: VaultID) async throws -> SyncVault? { try readHere { try Self.find(id, $0)?.vault } }

    package func delete(_ vault: VaultID) async throws -> Bool {
        let isDeleted = try await write { db in
            try db.run("DELETE FROM vault WHERE id = ?", [vault.bytes.data])
            return db.changesCount == 1
        }
        // The vault is gone. The owner must learn that, also if this fails: the pages that stay are used again.
        if isDeleted { try? await write { try $0.run("PRAGMA incremental_vacuum(1024)", []) } }
        return isDeleted
    }

    /// The vault and its number in this file.
    static func find(_ id: VaultID, _ db: Database) throws -> (key: Int64, vault: SyncVault)? {
        let statement = try db.cachedStatement(sql: "SELECT \(vaultColumns) FROM vault WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id.bytes.data]) else { return nil }
        return (row[0], try vault(row))
    }

    /// The columns of a vault, with which a row begins.
    static let vaultColumns = """
        vault.key, vault.id, vault.entry_order, vault.created_at, vault.invitation, vault.account, vault.circle_root, vault.head,
        vault.bytes
        """

    static func vault(_ row: Row) throws -> SyncVault {
        guard let id = VaultID(Array(row[1] as Data)) else {
            throw SyncStoreError(.damaged, detail: "a vault has no ID")
        }
        return SyncVault(
            id: id,
            order: Array(row[2] as Data),
            createdAt: row[3],
            // An empty one brings nothing more.
            invitation: (row[4] as Data).isEmpty ? nil : TokenHash(Array(row[4] as Data)),
            account: row[5],
            circleRoot: (row[6] as Data?).map(Array.init),
            head: row[7],
            bytes: row[8]
        )
    }

    // MARK: Accounts

    package func vaults(of account: String) async throws -> [SyncVault] {
        try readHere { db in
            let statement = try db.cachedStatement(
                sql: "SELECT \(Self.vaultColumns) FROM vault WHERE account = ? ORDER BY key"
            )
            return try Row.fetchAll(statement, arguments: [account]).map(Self.vault)
        }
    }

    package func accounts(after name: String, limit: Int) async throws -> [String] {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT DISTINCT account FROM vault WHERE account > ? ORDER BY account LIMIT ?"
            )
            return try String.fetchAll(statement, arguments: [name, limit])
        }
    }

    // MARK: Invitations and upkeep

    package func add(_ invitation: SyncInvitation) async throws {
        try await write { db in
            try db.run(
                """
                INSERT INTO invitation (token, created_at, expires_at, account) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [
                    invitation.token.bytes.data, invitation.createdAt, invitation.expiresAt, invitation.account,
                ]
            )
            guard db.changesCount == 1 else { throw SyncStoreError(.conflict) }
        }
    }

    package func isKnown(_ invitation: TokenHash, at now: Int64) async throws -> Bool {
        try readHere { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM invitation WHERE token = ?1 AND expires_at > ?2
                    UNION ALL SELECT 1 FROM vault WHERE invitation = ?1
                    """
            )
            return try Int.fetchOne(statement, arguments: [invitation.bytes.data, now]) != nil
        }
    }

    package func account(of invitation: TokenHash) async throws -> String? {
        try readHere { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT account FROM invitation WHERE token = ?1 AND account IS NOT NULL
                    UNION ALL SELECT account FROM vault WHERE invitation = ?1 AND account IS NOT NULL
                    """
            )
            return try String.fetchOne(statement, arguments: [invitation.bytes.data])
        }
    }

    package func sweep(at now: Int64, limit: Int) async throws -> Int {
        try await write { db in
            try db.run(
                "DELETE FROM session WHERE key IN (SELECT key FROM session WHERE expires_at <= ? LIMIT ?)",
                [now, limit]
            )
            let sessions = db.changesCount
            try db.run(
                """
                DELETE FROM invitation WHERE token IN (SELECT token FROM invitation WHERE expires_at <= ? LIMIT ?)
                """,
                [now, limit - sessions]
            )
            return sessions + db.changesCount
        }
    }

    package func probe() async throws {
        try translatingErrors { try database.checkPlace() }
        // A transaction that writes nothing would not reach the disk.
        try await write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.run("PRAGMA user_version = \(version == 0 ? 1 : 0)", [])
        }
    }
}

extension Database {
    /// Runs a statement, which is compiled once per connection.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension [UInt8] {
    /// The bytes as GRDB stores them.
    var data: Data { Data(self) }
}
