import Foundation
import WardWebAuthn

// The code of "Adding passkeys to an account system", as it stands there. TutorialTextTests compares the two.

/// A passkey as the service keeps it.
struct MyPasskey: CredentialEntry {
    var record: CredentialRecord
    var nickname: String
    var lastUsedAt: Int64?
}

/// Passkeys in a PostgreSQL database that had a table `users` before.
struct PasskeyTables: CredentialStore {
    let pool: PostgresPool

    func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (PasskeyRows) async throws -> T
    ) async throws -> T {
        try await pool.withConnection { connection in
            try await connection.query("BEGIN")
            do {
                let result = try await body(PasskeyRows(connection: connection))
                // After a call that failed, PostgreSQL answers COMMIT with ROLLBACK: then nothing is kept.
                guard try await connection.query("COMMIT").command == "COMMIT" else { throw NothingKept() }
                return result
            } catch {
                _ = try? await connection.query("ROLLBACK")
                throw error
            }
        }
    }
}

/// One transaction of the database.
struct PasskeyRows: CredentialTransaction {
    let connection: PostgresConnection

    func insert(_ ceremony: Ceremony) async throws {
        try await connection.query(
            "INSERT INTO ceremonies (id, bytes, expires_at) VALUES ($1, $2, $3)",
            .bytes(ceremony.id.bytes),
            .bytes(ceremony.encoded),
            .integer(ceremony.expiresAt)
        )
    }

    func takeCeremony(id: CeremonyID) async throws -> Ceremony? {
        let taken = try await connection.query(
            "DELETE FROM ceremonies WHERE id = $1 RETURNING bytes",
            .bytes(id.bytes)
        )
        return taken.rows.first.flatMap { try? Ceremony(encoded: $0.bytes("bytes")) }
    }

    func credential(id: CredentialID, of user: UserHandle) async throws -> MyPasskey? {
        // FOR UPDATE: of two sign-ins with one passkey, the second waits for the first and reads what it wrote.
        try await passkeys(
            "credential_id = $1 AND user_handle = $2 FOR UPDATE OF passkeys",
            .bytes(id.bytes),
            .bytes(user.bytes)
        ).first
    }

    func credentials(of user: UserHandle) async throws -> [MyPasskey] {
        try await passkeys("user_handle = $1", .bytes(user.bytes))
    }

    func isRegistered(_ id: CredentialID) async throws -> Bool {
        let found = try await connection.query("SELECT 1 FROM passkeys WHERE credential_id = $1", .bytes(id.bytes))
        return !found.rows.isEmpty
    }

    func insert(_ passkey: MyPasskey) async throws {
        let record = passkey.record
        try await connection.query(
            """
            INSERT INTO passkeys
            VALUES ($1, (SELECT id FROM users WHERE user_handle = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            """,
            .bytes(record.id.bytes),
            .bytes(record.userHandle.bytes),
            .bytes(record.publicKey),
            .integer(Int64(record.signCount)),
            .bool(record.uvInitialized),
            .text(try Self.text(record.transports)),
            .bool(record.backupEligible),
            .bool(record.backedUp),
            .bytes(record.aaguid.bytes),
            .text(record.attestationFormat),
            .bytes(record.attestationObject),
            .bytes(record.clientDataJSON),
            .text(record.rpID),
            .text(passkey.nickname),
            .integer(passkey.lastUsedAt)
        )
    }

    func update(_ passkey: MyPasskey) async throws -> Bool {
        let record = passkey.record
        let changed = try await connection.query(
            """
            UPDATE passkeys
            SET sign_count = $3, uv_initialized = $4, transports = $5, backup_eligible = $6, backed_up = $7, last_used_at = $8
            FROM users WHERE users.id = user_id AND credential_id = $1 AND user_handle = $2
            """,
            .bytes(record.id.bytes),
            .bytes(record.userHandle.bytes),
            .integer(Int64(record.signCount)),
            .bool(record.uvInitialized),
            .text(try Self.text(record.transports)),
            .bool(record.backupEligible),
            .bool(record.backedUp),
            .integer(passkey.lastUsedAt)
        )
        return changed.count == 1
    }

    /// What authenticators know a user by: made when it is needed first, and never changed.
    func userHandle(of userID: Int64) async throws -> UserHandle? {
        let user = try await connection.query(
            "UPDATE users SET user_handle = coalesce(user_handle, $2) WHERE id = $1 RETURNING user_handle",
            .integer(userID),
            .bytes(UserHandle.random().bytes)
        )
        return try user.rows.first.flatMap { UserHandle(try $0.bytes("user_handle")) }
    }

    private func passkeys(_ condition: String, _ values: PostgresValue...) async throws -> [MyPasskey] {
        let found = try await connection.query(
            "SELECT passkeys.*, user_handle FROM passkeys JOIN users ON users.id = user_id WHERE " + condition,
            values
        )
        return try found.rows.map { row in
            guard let id = CredentialID(try row.bytes("credential_id")),
                let user = UserHandle(try row.bytes("user_handle")),
                let aaguid = AAGUID(try row.bytes("aaguid"))
            else { throw DamagedRow() }
            let record = CredentialRecord(
                id: id,
                userHandle: user,
                publicKey: try row.bytes("public_key"),
                signCount: UInt32(clamping: try row.integer("sign_count")),
                uvInitialized: try row.bool("uv_initialized"),
                transports: try Self.transports(row.text("transports")),
                backupEligible: try row.bool("backup_eligible"),
                backedUp: try row.bool("backed_up"),
                aaguid: aaguid,
                attestationFormat: try row.text("attestation_format"),
                attestationObject: try row.optionalBytes("attestation_object"),
                clientDataJSON: try row.optionalBytes("client_data_json"),
                rpID: try row.text("rp_id")
            )
            return MyPasskey(
                record: record,
                nickname: try row.text("nickname"),
                lastUsedAt: try row.optionalInteger("last_used_at")
            )
        }
    }

    /// Browsers may send transports that nobody has heard of: JSON keeps any text apart.
    private static func text(_ transports: [AuthenticatorTransport]) throws -> String {
        String(decoding: try JSONEncoder().encode(transports.map(\.rawValue)), as: UTF8.self)
    }

    private static func transports(_ text: String) throws -> [AuthenticatorTransport] {
        try JSONDecoder().decode([String].self, from: Data(text.utf8)).map { AuthenticatorTransport(rawValue: $0) }
    }
}

/// The transaction was undone although its closure returned: a call in it had failed.
struct NothingKept: Error {}

/// A row holds what no passkey can have.
struct DamagedRow: Error {}

/// What is added to a database with a table `users`.
let tutorialSchema = """
    ALTER TABLE users ADD COLUMN user_handle bytea UNIQUE;

    CREATE TABLE passkeys (
        credential_id bytea PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        uv_initialized boolean NOT NULL,
        transports text NOT NULL,
        backup_eligible boolean NOT NULL,
        backed_up boolean NOT NULL,
        aaguid bytea NOT NULL,
        attestation_format text NOT NULL,
        attestation_object bytea,
        client_data_json bytea,
        rp_id text NOT NULL,
        nickname text NOT NULL,
        last_used_at bigint
    );
    CREATE INDEX passkeys_user ON passkeys (user_id);

    CREATE TABLE ceremonies (
        id bytea PRIMARY KEY,
        bytes bytea NOT NULL,
        expires_at bigint NOT NULL
    );
    """
