import GRDB
import WardSQLite

/// The tables, and the migrations of older files.
///
/// A released migration is never changed; a new one is added after it.
enum Schema {
    /// Identifies a file as Ward's; "Ward" in ASCII.
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID = 0x5761_7264

    /// The tables, for a program that opens a file.
    static let database = DatabaseSchema(applicationID: applicationID, migrator)

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 accounts") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: first)
        }
        migrator.registerMigration("2 passwords") { try $0.execute(sql: second) }
        migrator.registerMigration("3 passkey proofs") { try $0.execute(sql: third) }
        migrator.registerMigration("4 invitations") { try $0.execute(sql: fourth) }
        migrator.registerMigration("5 user verification") { try $0.execute(sql: fifth) }
        migrator.registerMigration("6 recovery") { try $0.execute(sql: sixth) }
        migrator.registerMigration("7 apps") { try $0.execute(sql: seventh) }
        migrator.registerMigration("8 attempts") { try $0.execute(sql: eighth) }
        migrator.registerMigration("9 audit") { try $0.execute(sql: ninth) }
        migrator.registerMigration("10 activity") { try $0.execute(sql: tenth) }
        migrator.registerMigration("11 admin tokens") { try $0.execute(sql: eleventh) }
        migrator.registerMigration("12 clients") { try $0.execute(sql: twelfth) }
        migrator.registerMigration("13 mail") { try $0.execute(sql: thirteenth) }
        migrator.registerMigration("14 webhooks") { try $0.execute(sql: webhooks) }
        migrator.registerMigration("15 devices") { try $0.execute(sql: devices) }
        migrator.registerMigration("16 uses of ceremonies") { try $0.execute(sql: ceremonyUses) }
        migrator.registerMigration("17 device-bound sessions") { try $0.execute(sql: boundSessions) }
        migrator.registerMigration("18 groups") { try $0.execute(sql: groups) }
        migrator.registerMigration("19 factors") { try $0.execute(sql: factors) }
        migrator.registerMigration("20 recovery in steps") { try $0.execute(sql: recoveryInSteps) }
        migrator.registerMigration("21 deleted passkeys") { try $0.execute(sql: deletedPasskeys) }
        migrator.registerMigration("22 successors") { try $0.execute(sql: successors) }
        migrator.registerMigration("23 upgrades") { try $0.execute(sql: upgrades) }
        migrator.registerMigration("24 federated sessions") { try $0.execute(sql: federatedSessions) }
        migrator.registerMigration("25 verified models") { try $0.execute(sql: verifiedModels) }
        migrator.registerMigration("26 helpers") { try $0.execute(sql: helpers) }
        return migrator
    }

    /// Tables with a short key are stored in its order (WITHOUT ROWID); passkeys are too large for that.
    private static let first = """
        CREATE TABLE account (
            id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
            username TEXT NOT NULL,
            username_mapped TEXT NOT NULL UNIQUE,
            display_name TEXT NOT NULL,
            user_handle BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE passkey (
            rowid INTEGER PRIMARY KEY,
            credential_id BLOB NOT NULL UNIQUE,
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            public_key BLOB NOT NULL,
            sign_count INTEGER NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
            uv_initialized INTEGER NOT NULL CHECK (uv_initialized IN (0, 1)),
            transports TEXT NOT NULL,
            backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
            backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
            aaguid BLOB NOT NULL,
            attestation_format TEXT NOT NULL,
            rp_id TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER,
            attestation_object BLOB,
            client_data_json BLOB
        ) STRICT;
        CREATE INDEX passkey_account ON passkey (account_id, created_at, credential_id);

        CREATE TABLE ceremony (
            id BLOB NOT NULL PRIMARY KEY,
            payload BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ceremony_expiry ON ceremony (expires_at);

        CREATE TABLE session (
            token_hash BLOB NOT NULL PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            authenticated_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL,
            idle_expires_at INTEGER,
            expires_at INTEGER NOT NULL,
            user_agent TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_account ON session (account_id, created_at, id);
        CREATE INDEX session_end ON session (min(expires_at, ifnull(idle_expires_at, expires_at)));

        CREATE TABLE secret (
            name TEXT NOT NULL PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Sessions from before passwords existed began with a passkey.
    private static let second = """
        CREATE TABLE password (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            hash TEXT NOT NULL,
            chosen_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE session ADD COLUMN method TEXT NOT NULL DEFAULT 'passkey'
            CHECK (method IN ('passkey', 'password'));
        """

    /// It is not known which passkey opened an older session.
    ///
    /// The session stays, and the next sensitive change requires a sign-in with a passkey.
    private static let third = """
        ALTER TABLE session ADD COLUMN credential_id BLOB;
        ALTER TABLE session ADD COLUMN passkey_proven_at INTEGER
            CHECK ((passkey_proven_at IS NULL) = (credential_id IS NULL));
        """

    private static let fourth = """
        CREATE TABLE invitation (
            token_hash BLOB NOT NULL PRIMARY KEY,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX invitation_expiry ON invitation (expires_at);
        """

    /// Before this migration, each proof required user verification.
    private static let fifth = """
        ALTER TABLE session ADD COLUMN user_verified INTEGER NOT NULL DEFAULT 1 CHECK (user_verified IN (0, 1));
        """

    private static let sixth = """
        ALTER TABLE account ADD COLUMN disabled_at INTEGER;

        CREATE TABLE recovery_link (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            token_hash BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let seventh = """
        CREATE TABLE app_session (
            token_hash BLOB NOT NULL PRIMARY KEY,
            session_id BLOB NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            origin TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            UNIQUE (session_id, origin)
        ) STRICT, WITHOUT ROWID;
        """

    private static let eighth = """
        CREATE TABLE attempt (
            key BLOB NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX attempt_expiry ON attempt (expires_at);
        CREATE INDEX attempt_surplus ON attempt (count, last_at);
        """

    /// Rows of the audit log stay when their account is deleted, so they have no reference to another table.
    private static let ninth = """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            actor TEXT NOT NULL,
            account_id BLOB,
            method TEXT,
            credential_id BLOB,
            hash BLOB NOT NULL
        ) STRICT;

        CREATE TABLE audit_checkpoint (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            number INTEGER NOT NULL,
            hash BLOB NOT NULL,
            at INTEGER NOT NULL,
            signature BLOB NOT NULL
        ) STRICT;
        """

    /// The index has the row's number, so an account's newest rows are found without sorting.
    private static let tenth = """
        ALTER TABLE audit ADD COLUMN details TEXT;
        CREATE INDEX audit_account ON audit (account_id);
        """

    private static let eleventh = """
        CREATE TABLE admin_token (
            token_hash BLOB NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            scopes TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            last_used_at INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// Grants refer to the session: what ends a session ends its grants and their tokens.
    private static let twelfth = """
        CREATE TABLE oauth_client (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            secret_hash BLOB,
            redirect_uris TEXT NOT NULL,
            post_logout_redirect_uris TEXT NOT NULL,
            is_first_party INTEGER NOT NULL CHECK (is_first_party IN (0, 1)),
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE oauth_consent (
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE,
            scopes TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX oauth_consent_client ON oauth_consent (client_id);

        CREATE TABLE oauth_grant (
            code_hash BLOB NOT NULL PRIMARY KEY,
            client_id TEXT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE,
            session_id BLOB NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            scopes TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            code_challenge BLOB NOT NULL,
            nonce TEXT,
            authenticated_at INTEGER NOT NULL,
            acr TEXT,
            amr TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            code_used_at INTEGER,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
        CREATE INDEX oauth_grant_session ON oauth_grant (session_id);
        CREATE INDEX oauth_grant_expiry ON oauth_grant (expires_at);

        CREATE TABLE oauth_token (
            hash BLOB NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
            code_hash BLOB NOT NULL REFERENCES oauth_grant (code_hash) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            replaced_at INTEGER,
            successor BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX oauth_token_grant ON oauth_token (code_hash);
        CREATE INDEX oauth_token_expiry ON oauth_token (expires_at);

        CREATE TABLE id_token_key (
            id TEXT NOT NULL PRIMARY KEY,
            private_key BLOB NOT NULL,
            active_from INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// A message stays when its account is deleted, because it may tell that.
    private static let thirteenth = """
        CREATE TABLE email (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            confirmed TEXT,
            confirmed_at INTEGER CHECK ((confirmed_at IS NULL) = (confirmed IS NULL)),
            pending TEXT,
            pending_at INTEGER CHECK ((pending_at IS NULL) = (pending IS NULL)),
            language TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE mail (
            id BLOB NOT NULL PRIMARY KEY,
            account_id BLOB NOT NULL,
            kind TEXT NOT NULL,
            address TEXT NOT NULL,
            language TEXT NOT NULL,
            username TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX mail_due ON mail (due_at, id);

        CREATE TABLE mail_link (
            token_hash BLOB NOT NULL PRIMARY KEY,
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL,
            address TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX mail_link_account ON mail_link (account_id, purpose);
        CREATE INDEX mail_link_expiry ON mail_link (expires_at);
        """

    /// The session of a device ends with its client.
    private static let devices = """
        ALTER TABLE oauth_client ADD COLUMN allows_devices INTEGER NOT NULL DEFAULT 0 CHECK (allows_devices IN (0, 1));
        ALTER TABLE oauth_client ADD COLUMN id_token_algorithm TEXT NOT NULL DEFAULT 'ES256';
        ALTER TABLE id_token_key ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'ES256';

        ALTER TABLE session ADD COLUMN client_id TEXT REFERENCES oauth_client (id) ON DELETE CASCADE;
        CREATE INDEX session_client ON session (client_id) WHERE client_id IS NOT NULL;

        CREATE TABLE device_authorization (
            device_hash BLOB NOT NULL PRIMARY KEY,
            user_hash BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE,
            scopes TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            interval INTEGER NOT NULL,
            polled_at INTEGER,
            session_id BLOB REFERENCES session (id) ON DELETE CASCADE,
            is_refused INTEGER NOT NULL CHECK (is_refused = 0 OR (is_refused = 1 AND session_id IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_authorization_client ON device_authorization (client_id);
        CREATE INDEX device_authorization_session ON device_authorization (session_id);
        CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);
        """

    /// Uses begin with a time, so new rows stand side by side, and a sign-in writes no page of its own for them.
    private static let ceremonyUses = """
        CREATE TABLE ceremony_use (
            use BLOB NOT NULL PRIMARY KEY,
            kept_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ceremony_use_expiry ON ceremony_use (kept_until);
        """

    /// A session's key, the time when it was registered, and the number of proofs.
    private static let boundSessions = """
        ALTER TABLE session ADD COLUMN device_key BLOB;
        ALTER TABLE session ADD COLUMN bound_at INTEGER CHECK ((bound_at IS NULL) = (device_key IS NULL));
        ALTER TABLE session ADD COLUMN proofs INTEGER NOT NULL DEFAULT 0;
        """

    /// The names of an account's groups, with spaces between them.
    private static let groups = "ALTER TABLE account ADD COLUMN group_names TEXT NOT NULL DEFAULT ''"

    /// A recovery link for each source, with what was proven beside it and its wait.
    ///
    /// The people who run the service made all older ones.
    private static let recoveryInSteps = """
        CREATE TABLE recovery_link_in_steps (
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            source TEXT NOT NULL,
            token_hash BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            needs_proof INTEGER NOT NULL CHECK (needs_proof IN (0, 1)),
            proofs TEXT NOT NULL,
            waits INTEGER NOT NULL CHECK (waits IN (0, 1)),
            opens_at INTEGER,
            PRIMARY KEY (account_id, source)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO recovery_link_in_steps
            SELECT account_id, 'operator', token_hash, created_at, expires_at, 0, '', 0, NULL FROM recovery_link;
        DROP TABLE recovery_link;
        ALTER TABLE recovery_link_in_steps RENAME TO recovery_link;
        """

    /// What proves an owner beside passkeys and the password, and the second factor of a session.
    private static let factors = """
        CREATE TABLE factor (
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            key BLOB NOT NULL,
            payload BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            confirmed_at INTEGER,
            last_used_at INTEGER,
            counter INTEGER NOT NULL,
            PRIMARY KEY (kind, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX factor_account ON factor (account_id, kind, key);

        ALTER TABLE session ADD COLUMN second_factor TEXT;
        """

    /// Finds out whether a passkey was deleted; most rows of the audit log are not in the index.
    private static let deletedPasskeys = """
        CREATE INDEX audit_deleted_passkey ON audit (credential_id)
            WHERE event IN ('passkey_deleted', 'passkey_replaced');
        """
}
