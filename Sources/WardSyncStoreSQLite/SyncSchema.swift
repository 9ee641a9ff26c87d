import GRDB
import WardSQLite

/// The tables, and the migrations of older files.
///
/// A released migration is never changed; a new one is added after it.
enum SyncSchema {
    /// Identifies a file as one of the sync server; "WSyn" in ASCII. https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID = 0x5753_796e

    /// The tables, for a program that opens a file.
    static let database = DatabaseSchema(applicationID: applicationID, migrator)

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 vaults") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: first)
        }
        migrator.registerMigration("2 upkeep") { try $0.execute(sql: second) }
        return migrator
    }

    /// When vaults were how far, when they were last looked at, and when a device was last there.
    ///
    /// Observations have numbers, because the clock can be wrong. `cleared_at` is the number of one.
    private static let second = """
        CREATE TABLE observation (
            number INTEGER PRIMARY KEY,
            made_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE reached (
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            observation INTEGER NOT NULL,
            head INTEGER NOT NULL,
            PRIMARY KEY (vault, observation)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE vault ADD COLUMN cleared_at INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX vault_cleared ON vault (cleared_at);
        CREATE TABLE contact (
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            subject BLOB NOT NULL,
            seen_at INTEGER NOT NULL,
            PRIMARY KEY (vault, subject)
        ) STRICT, WITHOUT ROWID;
        """

    /// Other tables refer to a vault by a small number, because there are many entries and an ID has 32 bytes.
    ///
    /// The blob is the last column, so SQLite reads an entry without it from fewer pages. A row of `head` says which entry is the
    /// last of a chain: in `entry` it would be a column whose change writes the whole row again.
    private static let first = """
        CREATE TABLE vault (
            key INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 32),
            entry_order BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            invitation BLOB NOT NULL,
            account TEXT,
            circle_root BLOB,
            head INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX vault_invitation ON vault (invitation);
        CREATE INDEX vault_account ON vault (account) WHERE account IS NOT NULL;
        CREATE TABLE entry (
            key INTEGER PRIMARY KEY,
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            device BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL,
            encoded BLOB NOT NULL,
            blob BLOB
        ) STRICT;
        CREATE UNIQUE INDEX entry_number ON entry (vault, number);
        CREATE UNIQUE INDEX entry_place ON entry (vault, device, sequence, hash);
        CREATE INDEX entry_hash ON entry (vault, substr(hash, 1, 8));
        CREATE TABLE head (
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (vault, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE share (
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            device BLOB NOT NULL,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (vault, device)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE evidence (
            key INTEGER PRIMARY KEY,
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            first BLOB NOT NULL,
            second BLOB NOT NULL,
            UNIQUE (vault, first, second)
        ) STRICT;
        CREATE TABLE device_key (
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            subject BLOB NOT NULL,
            public_key BLOB NOT NULL,
            is_allowed INTEGER NOT NULL CHECK (is_allowed IN (0, 1)),
            PRIMARY KEY (vault, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE session (
            key INTEGER PRIMARY KEY,
            token BLOB NOT NULL UNIQUE,
            vault INTEGER NOT NULL REFERENCES vault (key) ON DELETE CASCADE,
            subject BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX session_subject ON session (vault, subject);
        CREATE INDEX session_end ON session (expires_at);
        CREATE TABLE invitation (
            token BLOB NOT NULL PRIMARY KEY,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            account TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX invitation_end ON invitation (expires_at);
        """
}
