import Foundation
import GRDB
package import WardLog
import WardSQLite
package import WardSyncRecords

extension SQLiteSyncStore {
    package func create(_ vault: SyncVault, _ batch: SyncBatch, limit: Int, at now: Int64) async throws -> SyncVault {
        try await write { db in
            if let (_, there) = try Self.find(vault.id, db) {
                guard there.admission == vault.admission else { throw SyncStoreError(.vaultExists) }
                return there
            }
            let (invitation, account): ([UInt8]?, String?)
            switch vault.admission {
            case .invitation(let token):
                try db.run("DELETE FROM invitation WHERE token = ? AND expires_at > ?", [token.bytes.data, now])
                guard db.changesCount == 1 else { throw SyncStoreError(.invitationNotValid) }
                (invitation, account) = (token.bytes, nil)
            case .account(let name):
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM vault WHERE account = ?", arguments: [name])
                guard count ?? 0 < limit else { throw SyncStoreError(.tooManyVaults) }
                (invitation, account) = (nil, name)
            }
            try db.run(
                """
                INSERT INTO vault (id, entry_order, created_at, invitation, account, circle_root, head, bytes)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                """,
                [
                    vault.id.bytes.data, vault.order.data, vault.createdAt, invitation?.data, account,
                    vault.circleRoot?.data,
                ]
            )
            return try Self.add(batch, to: vault.id, db)
        }
    }

    package func vault(_ id: VaultID) async throws -> SyncVault? { try await read { try Self.find(id, $0)?.vault } }

    package func delete(_ vault: VaultID) async throws -> Bool {
        let isDeleted = try await write { db in
            try db.run("DELETE FROM vault WHERE id = ?", [vault.bytes.data])
            return db.changesCount == 1
        }
        if isDeleted {
            try await write { try $0.run("PRAGMA incremental_vacuum(1024)", []) }
        }
        return isDeleted
    }

    /// The vault and its number in this file.
    static func find(_ id: VaultID, _ db: Database) throws -> (key: Int64, vault: SyncVault)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT key, entry_order, created_at, invitation, account, circle_root, head, bytes
                FROM vault WHERE id = ?
                """
        )
        guard let row = try Row.fetchOne(statement, arguments: [id.bytes.data]) else { return nil }
        let admission: SyncVault.Admission
        switch (row[3] as Data?, row[4] as String?) {
        case (let token?, nil): admission = .invitation(TokenHash(Array(token)))
        case (nil, let account?): admission = .account(account)
        default: throw SyncStoreError(.damaged, detail: "a vault has no admission")
        }
        let vault = SyncVault(
            id: id,
            order: Array(row[1] as Data),
            createdAt: row[2],
            admission: admission,
            circleRoot: (row[5] as Data?).map(Array.init),
            head: row[6],
            bytes: row[7]
        )
        return (row[0], vault)
    }

    // MARK: Invitations and upkeep

    package func add(_ invitation: SyncInvitation) async throws {
        try await write { db in
            try db.run(
                "INSERT INTO invitation (token, created_at, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [invitation.token.bytes.data, invitation.createdAt, invitation.expiresAt]
            )
            guard db.changesCount == 1 else { throw SyncStoreError(.conflict) }
        }
    }

    package func isKnown(_ invitation: TokenHash, at now: Int64) async throws -> Bool {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM invitation WHERE token = ?1 AND expires_at > ?2
                    UNION ALL SELECT 1 FROM vault WHERE invitation = ?1
                    """
            )
            return try Int.fetchOne(statement, arguments: [invitation.bytes.data, now]) != nil
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
