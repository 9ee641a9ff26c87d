extension Schema {
    /// Sessions that begin with a sign-in at an identity provider.
    ///
    /// A check of a column cannot be changed, so the table is made anew. Other tables refer to it by its name.
    static let federatedSessions = """
        CREATE TABLE session_with_federated (
            token_hash BLOB NOT NULL PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
            account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            authenticated_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL,
            idle_expires_at INTEGER,
            expires_at INTEGER NOT NULL,
            user_agent TEXT NOT NULL,
            method TEXT NOT NULL CHECK (method IN ('passkey', 'password', 'federated')),
            credential_id BLOB,
            passkey_proven_at INTEGER CHECK ((passkey_proven_at IS NULL) = (credential_id IS NULL)),
            user_verified INTEGER NOT NULL CHECK (user_verified IN (0, 1)),
            client_id TEXT REFERENCES oauth_client (id) ON DELETE CASCADE,
            device_key BLOB,
            bound_at INTEGER CHECK ((bound_at IS NULL) = (device_key IS NULL)),
            proofs INTEGER NOT NULL DEFAULT 0,
            second_factor TEXT
        ) STRICT, WITHOUT ROWID;
        INSERT INTO session_with_federated (
            token_hash, id, account_id, created_at, authenticated_at, last_seen_at, idle_expires_at, expires_at, user_agent,
            method, credential_id, passkey_proven_at, user_verified, client_id, device_key, bound_at, proofs, second_factor
        ) SELECT
            token_hash, id, account_id, created_at, authenticated_at, last_seen_at, idle_expires_at, expires_at, user_agent,
            method, credential_id, passkey_proven_at, user_verified, client_id, device_key, bound_at, proofs, second_factor
        FROM session;
        DROP TABLE session;
        ALTER TABLE session_with_federated RENAME TO session;
        CREATE INDEX session_account ON session (account_id, created_at, id);
        CREATE INDEX session_end ON session (min(expires_at, ifnull(idle_expires_at, expires_at)));
        CREATE INDEX session_client ON session (client_id) WHERE client_id IS NOT NULL;
        """
}
