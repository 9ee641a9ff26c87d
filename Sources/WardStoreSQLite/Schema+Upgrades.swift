extension Schema {
    /// Daily counts, the last offer of a passkey to each account, and when each password was last used.
    ///
    /// It is not known when older passwords were used, so they count as used when this migration runs.
    static let upgrades = """
        CREATE TABLE upgrade_count (
            day INTEGER NOT NULL,
            kind TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (day, kind)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE passkey_offer (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            shown_at INTEGER NOT NULL,
            dismissed_at INTEGER
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE password ADD COLUMN last_used_at INTEGER;
        UPDATE password SET last_used_at = unixepoch();
        """
}
