extension Schema {
    /// People who help with a recovery, and the wish for their help.
    ///
    /// A request stays when its link is replaced. It is no reference to the link, because it must not follow the next one.
    static let helpers = """
        CREATE TABLE recovery_helper (
            id BLOB NOT NULL PRIMARY KEY,
            owner_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            helper_id BLOB REFERENCES account (id) ON DELETE SET NULL,
            created_at INTEGER NOT NULL,
            accepted_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX recovery_helper_owner ON recovery_helper (owner_id, created_at, id);
        CREATE INDEX recovery_helper_helper ON recovery_helper (helper_id, created_at, id);

        CREATE TABLE help_request (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            token_hash BLOB NOT NULL,
            code_hash BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            told_at INTEGER,
            wrong_codes INTEGER NOT NULL,
            approved_by BLOB CHECK (approved_by IS NULL OR length(approved_by) = 16)
        ) STRICT, WITHOUT ROWID;
        """
}
