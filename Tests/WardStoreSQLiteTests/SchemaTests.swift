import GRDB
import Testing
import WardStoreSQLite

@Suite struct `SQLite schema` {
    @Test func `an empty file becomes a database with every table strict`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let tables = try await store.onWriter { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT name, strict FROM pragma_table_list
                    WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' ORDER BY name
                    """
            ).map { ($0["name"] as String, $0["strict"] as Bool) }
        }
        #expect(
            tables.map(\.0) == [
                "account", "admin_token", "app_session", "attempt", "audit", "audit_checkpoint", "ceremony",
                "ceremony_use", "device_authorization", "email", "factor", "help_request", "id_token_key", "invitation",
                "mail",
                "mail_link",
                "oauth_client", "oauth_consent",
                "oauth_grant", "oauth_token", "passkey", "passkey_offer", "password", "recovery_helper",
                "recovery_link",
                "secret", "session",
                "upgrade_count", "webhook", "webhook_position",
            ]
        )
        #expect(tables.filter { !$0.1 }.isEmpty)
        #expect(try await store.pragma("application_id") == "1466004068")
        try await store.close()
    }

    @Test func `an opening that was cut short before the first table can be taken up again`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try queue.close()
            let store = try SQLiteAccountStore(path: path)
            #expect(try await store.write { try $0.insertSecret(named: "key", [1]) } == [1])
            try await store.close()
        }
    }

    static let statements = [
        "SELECT * FROM account WHERE id = x'00'",
        "SELECT * FROM account WHERE username_mapped = ''",
        "SELECT * FROM account WHERE user_handle = x'00'",
        "SELECT * FROM passkey WHERE credential_id = x'00'",
        "SELECT user_handle FROM account WHERE id = (SELECT account_id FROM passkey WHERE credential_id = x'00')",
        "UPDATE account SET display_name = '' WHERE id = x'00'",
        "SELECT * FROM passkey WHERE account_id = x'00' ORDER BY created_at, credential_id",
        "SELECT count(*) FROM passkey WHERE account_id = x'00'",
        "SELECT hash, chosen_at FROM password WHERE account_id = x'00'",
        "DELETE FROM password WHERE account_id = x'00'",
        "DELETE FROM ceremony WHERE id = x'00' RETURNING payload",
        "DELETE FROM ceremony WHERE expires_at < 0",
        "SELECT * FROM session WHERE token_hash = x'00'",
        "SELECT * FROM session WHERE account_id = x'00' ORDER BY created_at, id",
        "UPDATE session SET last_seen_at = 0 WHERE id = x'00'",
        "UPDATE session SET device_key = x'00', bound_at = 0 WHERE id = x'00' AND device_key IS NULL",
        "UPDATE session SET proofs = proofs + 1 WHERE id = x'00' AND device_key IS NOT NULL AND proofs = 0",
        "DELETE FROM session WHERE id = x'00' AND account_id = x'00'",
        "DELETE FROM session WHERE account_id = x'00' AND (credential_id = x'00' OR credential_id IS NULL)",
        "SELECT count(*) FROM session WHERE account_id = x'00'",
        "DELETE FROM session WHERE min(expires_at, ifnull(idle_expires_at, expires_at)) <= 0",
        "SELECT * FROM account WHERE username_mapped > '' ORDER BY username_mapped LIMIT 1",
        "SELECT * FROM session WHERE id = x'00'",
        "SELECT * FROM app_session WHERE token_hash = x'00'",
        "DELETE FROM app_session WHERE session_id = x'00'",
        "SELECT * FROM invitation WHERE token_hash = x'00'",
        "DELETE FROM invitation WHERE token_hash = x'00'",
        "DELETE FROM invitation WHERE expires_at < 0",
        "SELECT * FROM recovery_link WHERE token_hash = x'00'",
        "SELECT * FROM recovery_link WHERE account_id = x'00' ORDER BY source",
        "DELETE FROM recovery_link WHERE account_id = x'00' AND source = ''",
        "SELECT * FROM recovery_helper WHERE id = x'00'",
        "SELECT * FROM recovery_helper WHERE owner_id = x'00' ORDER BY created_at, id",
        "SELECT * FROM recovery_helper WHERE helper_id = x'00' ORDER BY created_at, id",
        "UPDATE recovery_helper SET helper_id = NULL WHERE helper_id = x'00'",
        "SELECT * FROM help_request WHERE account_id = x'00'",
        "SELECT confirmed FROM email WHERE account_id = x'00'",
        "SELECT * FROM factor WHERE account_id = x'00' ORDER BY kind, key",
        "SELECT * FROM factor WHERE kind = '' AND key = x'00'",
        "DELETE FROM factor WHERE kind = '' AND key = x'00' AND account_id = x'00'",
        "DELETE FROM factor WHERE account_id = x'00' AND kind = ''",
        "SELECT * FROM mail WHERE due_at <= 0 ORDER BY due_at, id LIMIT 1",
        "UPDATE mail SET due_at = 0 WHERE id = x'00'",
        "DELETE FROM mail WHERE id = x'00'",
        "SELECT * FROM mail_link WHERE token_hash = x'00'",
        "DELETE FROM mail_link WHERE account_id = x'00' AND purpose = ''",
        "DELETE FROM mail_link WHERE expires_at < 0",
        "SELECT * FROM webhook WHERE is_first = 1 AND due_at <= 0 ORDER BY due_at, number LIMIT 1",
        "SELECT min(number) FROM webhook WHERE account_id = x'00'",
        "UPDATE webhook SET is_first = 0 WHERE account_id = x'00' AND number > 0 AND is_first = 1",
        "UPDATE webhook SET due_at = 0 WHERE number = 0",
        "DELETE FROM webhook WHERE number = 0",
        "UPDATE account SET disabled_at = 0 WHERE id = x'00'",
        "SELECT * FROM audit WHERE number > 0 ORDER BY number LIMIT 1",
        "SELECT * FROM audit WHERE account_id = x'00' ORDER BY number DESC LIMIT 1",
        "SELECT 1 FROM audit WHERE credential_id = x'00' AND event IN ('passkey_deleted', 'passkey_replaced') LIMIT 1",
        "DELETE FROM audit WHERE number <= 0",
        "SELECT * FROM admin_token WHERE token_hash = x'00'",
        "UPDATE admin_token SET last_used_at = 0 WHERE token_hash = x'00'",
        "SELECT bytes FROM secret WHERE name = ''",
        "SELECT * FROM oauth_client WHERE id = ''",
        "DELETE FROM oauth_client WHERE id = ''",
        "SELECT * FROM oauth_consent WHERE account_id = x'00' AND client_id = ''",
        "DELETE FROM oauth_consent WHERE client_id = ''",
        "SELECT * FROM oauth_grant WHERE code_hash = x'00'",
        "UPDATE oauth_grant SET session_id = x'00' WHERE session_id = x'00'",
        "DELETE FROM oauth_grant WHERE session_id = x'00'",
        "DELETE FROM oauth_grant WHERE client_id = ''",
        "DELETE FROM oauth_grant WHERE expires_at < 0",
        "SELECT * FROM oauth_token WHERE hash = x'00'",
        "DELETE FROM oauth_token WHERE code_hash = x'00'",
        "DELETE FROM oauth_token WHERE expires_at < 0",
        "SELECT * FROM device_authorization WHERE device_hash = x'00'",
        "SELECT * FROM device_authorization WHERE user_hash = x'00'",
        "DELETE FROM device_authorization WHERE session_id = x'00'",
        "DELETE FROM device_authorization WHERE client_id = ''",
        "DELETE FROM device_authorization WHERE expires_at < 0",
        "DELETE FROM session WHERE client_id = ''",
        "DELETE FROM account WHERE id = x'00'",
    ]

    @Test(arguments: statements)
    func `nothing is looked up by walking through a table or sorting`(sql: String) async throws {
        let store = try SQLiteAccountStore.inMemory()
        let plan = try await store.onWriter { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
        }
        #expect(!plan.isEmpty)
        #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") || $0.hasPrefix("SCALAR SUBQUERY") }, "\(plan)")
        try await store.close()
    }
}

extension SQLiteAccountStore {
    /// A setting of the writing connection.
    func pragma(_ name: String) async throws -> String? {
        try await onWriter { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
