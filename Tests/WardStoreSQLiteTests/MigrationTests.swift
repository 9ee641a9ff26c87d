import GRDB
import Testing
import WardAccounts
import WardStoreSQLite
import WardWebAuthn

/// Files that earlier versions made.
@Suite struct `SQLite migrations` {
    /// What the first version wrote, table by table as it stood then.
    private static let first = """
        PRAGMA application_id = 1466004068;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1 accounts');
        CREATE TABLE account (
            id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), username TEXT NOT NULL,
            username_mapped TEXT NOT NULL UNIQUE, display_name TEXT NOT NULL, user_handle BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE passkey (
            rowid INTEGER PRIMARY KEY, credential_id BLOB NOT NULL UNIQUE,
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE, name TEXT NOT NULL,
            public_key BLOB NOT NULL, sign_count INTEGER NOT NULL, uv_initialized INTEGER NOT NULL,
            transports TEXT NOT NULL, backup_eligible INTEGER NOT NULL, backed_up INTEGER NOT NULL,
            aaguid BLOB NOT NULL, attestation_format TEXT NOT NULL, rp_id TEXT NOT NULL, created_at INTEGER NOT NULL,
            last_used_at INTEGER, attestation_object BLOB, client_data_json BLOB
        ) STRICT;
        CREATE INDEX passkey_account ON passkey (account_id, created_at, credential_id);
        CREATE TABLE ceremony (
            id BLOB NOT NULL PRIMARY KEY, payload BLOB NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ceremony_expiry ON ceremony (expires_at);
        CREATE TABLE session (
            token_hash BLOB NOT NULL PRIMARY KEY, id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE, created_at INTEGER NOT NULL,
            authenticated_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL, idle_expires_at INTEGER,
            expires_at INTEGER NOT NULL, user_agent TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_account ON session (account_id, created_at, id);
        CREATE INDEX session_end ON session (min(expires_at, ifnull(idle_expires_at, expires_at)));
        CREATE TABLE secret (name TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO account VALUES (zeroblob(16), 'ada', 'ada', 'Ada', x'01', 7);
        INSERT INTO session VALUES (x'02', zeroblob(16), zeroblob(16), 1, 2, 3, NULL, 9, 'Browser');
        """

    /// Writes a file of the first version, and changes it.
    private static func old(in directory: String, after changes: String = "") async throws -> String {
        let path = directory + "/ward.sqlite"
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: first + changes) }
        try queue.close()
        return path
    }

    /// Such a file, opened by this version.
    private static func migrated(in directory: String, after changes: String = "") async throws -> SQLiteAccountStore {
        try SQLiteAccountStore(path: try await old(in: directory, after: changes))
    }

    @Test func `a file from before there were passwords keeps its sessions, which began with a passkey`() async throws {
        try await withDirectory { directory in
            let path = try await Self.old(in: directory)
            for _ in 0..<2 {
                let store = try SQLiteAccountStore(path: path)
                let (account, session) = try await store.read { tx in
                    (try tx.account(username: "ada"), try tx.session(tokenHash: [2]))
                }
                let ada = try #require(account)
                #expect(session?.method == .passkey)
                #expect(session != nil && session?.passkeyProof == nil, "which passkey it was is not known")
                #expect(session?.authenticatedAt == 2 && session?.lastSeenAt == 3 && session?.userAgent == "Browser")
                let record = PasswordRecord(accountID: ada.id, hash: "$argon2id$", chosenAt: 5)
                try await store.write { try $0.setPassword(record) }
                #expect(try await store.read { try $0.password(of: ada.id) } == record)
                try await store.integrityCheck()
                try await store.close()
            }
        }
    }

    @Test func `a file from before there were invitations takes them`() async throws {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let invitation = Invitation(tokenHash: [1], createdAt: 2, expiresAt: 3)
            try await store.write { try $0.insert(invitation) }
            #expect(try await store.read { try $0.invitation(tokenHash: [1]) } == invitation)
            try await store.close()
        }
    }

    @Test func `a file from before accounts could be disabled has none that is, and takes recovery links`() async throws
    {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let ada = try #require(try await store.read { try $0.account(username: "ada") })
            #expect(ada.disabledAt == nil)
            let link = RecoveryLink(accountID: ada.id, tokenHash: [1], createdAt: 2, expiresAt: 3)
            try await store.write { try $0.setRecoveryLink(link) }
            #expect(try await store.read { try $0.recoveryLink(tokenHash: [1]) } == link)
            try await store.close()
        }
    }

    @Test func `a file from before there were groups has accounts without any, and takes them`() async throws {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let ada = try #require(try await store.read { try $0.account(username: "ada") })
            #expect(ada.groups.isEmpty)
            let groups = [try GroupName("admins"), try GroupName("staff")]
            try await store.write { _ = try $0.setAccount(id: ada.id, groups: groups) }
            #expect(try await store.read { try $0.account(id: ada.id) }?.groups == groups)
            try await store.close()
        }
    }

    @Test(arguments: ["Admins", "admins,staff", "-", "admins\tstaff"])
    func `a stored text that is no list of groups is damage`(text: String) async throws {
        let store = try SQLiteAccountStore.inMemory()
        try await store.write { try $0.insert(Person.account("alice")) }
        try await store.onWriter { db in
            try db.execute(sql: "UPDATE account SET group_names = ?", arguments: [text])
        }
        await #expect(throws: StoreError(.damaged)) { try await store.read { try $0.account(username: "alice") } }
        try await store.close()
    }

    @Test func `a file from before there was mail takes addresses and messages`() async throws {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let ada = try #require(try await store.read { try $0.account(username: "ada") })
            #expect(try await store.read { try $0.email(of: ada.id) } == nil)
            let address = try EmailAddress("ada@example.com")
            let email = AccountEmail(accountID: ada.id, confirmed: .init(address, at: 1), language: "en")
            try await store.write { try $0.setEmail(email) }
            #expect(try await store.read { try $0.email(of: ada.id) } == email)
            try await store.close()
        }
    }

    @Test func `an address has its time, or neither`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let account = try Person.account("ada")
        let address = try EmailAddress("ada@example.com")
        try await store.write { tx in
            try tx.insert(account)
            try tx.setEmail(AccountEmail(accountID: account.id, confirmed: .init(address, at: 1), language: "en"))
        }
        for change in ["confirmed_at = NULL", "pending = 'ada@example.com'"] {
            await #expect(throws: StoreError.self) {
                try await store.onWriter { try $0.execute(sql: "UPDATE email SET \(change)") }
            }
        }
        try await store.close()
    }

    @Test func `a session from before proofs were stored ends with any passkey of its account`() async throws {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let ada = try #require(try await store.read { try $0.account(username: "ada") })
            let passkey = Person.passkey(of: ada)
            try await store.write { try $0.insert(passkey) }
            let deleted = try await store.write { tx in
                try tx.deletePasskey(credentialID: passkey.record.id, of: ada.id)
            }
            #expect(deleted)
            #expect(try await store.read { try $0.session(tokenHash: [2]) } == nil)
            try await store.close()
        }
    }

    @Test func `a session whose proof is older than the note of verification counts as verified`() async throws {
        try await withDirectory { directory in
            // What the second and the third migration added.
            let later = """
                INSERT INTO grdb_migrations VALUES ('2 passwords'), ('3 passkey proofs'), ('4 invitations');
                CREATE TABLE password (
                    account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
                    hash TEXT NOT NULL, chosen_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                ALTER TABLE session ADD COLUMN method TEXT NOT NULL DEFAULT 'passkey';
                ALTER TABLE session ADD COLUMN credential_id BLOB;
                ALTER TABLE session ADD COLUMN passkey_proven_at INTEGER;
                CREATE TABLE invitation (
                    token_hash BLOB NOT NULL PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                UPDATE session SET credential_id = x'0a', passkey_proven_at = 2;
                """
            let store = try await Self.migrated(in: directory, after: later)
            let session = try await store.read { try $0.session(tokenHash: [2]) }
            #expect(session?.passkeyProof?.userVerified == true, "until then each sign-in required verification")
            #expect(session?.passkeyProof?.provenAt == 2)
            #expect(session?.binding == nil)
            try await store.close()
        }
    }

    @Test func `a session has the passkey and the time of its proof, or neither`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let account = try Person.account("ada")
        try await store.write { tx in
            try tx.insert(account)
            try tx.insert(Person.session(of: account, token: .random(using: Person.random)))
        }
        for change in ["credential_id = x'01'", "passkey_proven_at = 1"] {
            await #expect(throws: StoreError.self) {
                try await store.onWriter { try $0.execute(sql: "UPDATE session SET \(change)") }
            }
        }
        try await store.close()
    }

    @Test func `a session has a device's key and the time of its registration, or neither`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let account = try Person.account("ada")
        try await store.write { tx in
            try tx.insert(account)
            try tx.insert(Person.session(of: account, token: .random(using: Person.random)))
        }
        for change in ["device_key = x'01'", "bound_at = 1"] {
            await #expect(throws: StoreError.self) {
                try await store.onWriter { try $0.execute(sql: "UPDATE session SET \(change)") }
            }
        }
        try await store.close()
    }

    @Test func `sessions at providers keep the sessions from before, and what belongs to them`() async throws {
        try await withDirectory { directory in
            let store = try await Self.migrated(in: directory)
            let before = try #require(try await store.read { try $0.session(tokenHash: [2]) })
            try await store.close()
            // The last step once more, with a session that an app refers to.
            let queue = try DatabaseQueue(path: directory + "/ward.sqlite")
            try await queue.write { db in
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '24 federated sessions'")
                try db.execute(
                    sql: """
                        INSERT INTO app_session (token_hash, session_id, origin, created_at)
                        SELECT x'07', id, 'https://app.example.com', 5 FROM session
                        """
                )
            }
            try queue.close()
            let again = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            #expect(try await again.read { try $0.session(tokenHash: [2]) } == before)
            #expect(try await again.read { try $0.appSession(tokenHash: [7]) }?.sessionID == before.id)
            try await again.integrityCheck()
            try await again.close()
        }
    }

    @Test func `a passkey from before attestation was asked for has no verified model, and has all of one or nothing`()
        async throws
    {
        try await withDirectory { directory in
            let changes = """
                INSERT INTO passkey VALUES (
                    1, x'05', zeroblob(16), 'Old', x'06', 0, 1, '', 0, 0, zeroblob(16), 'packed', 'localhost', 7, NULL,
                    NULL, NULL
                );
                """
            let store = try await Self.migrated(in: directory, after: changes)
            let id = try #require(CredentialID([5]))
            let old = try #require(try await store.read { try $0.passkey(credentialID: id) })
            #expect(old.record.attestationFormat == "packed" && old.verifiedModel == nil)
            for change in ["verified_aaguid = zeroblob(16)", "verified_format = 'packed'", "verified_at = 1"] {
                await #expect(throws: StoreError.self) {
                    try await store.onWriter { try $0.execute(sql: "UPDATE passkey SET \(change)") }
                }
            }
            try await store.close()
        }
    }

    @Test func `a session cannot have begun in any other way`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let account = try Person.account("ada")
        try await store.write { try $0.insert(account) }
        try await store.write { tx in
            try tx.insert(Person.session(of: account, token: .random(using: Person.random)))
        }
        await #expect(throws: StoreError.self) {
            try await store.onWriter { try $0.execute(sql: "UPDATE session SET method = 'guess'") }
        }
        try await store.close()
    }
}
