internal import Foundation
internal import GRDB

extension VaultDatabase {
    /// The application ID "Ward", by which `file` and other programs recognise the file.
    static let applicationID = 0x5761_7264
    static let version = 1

    /// Pages are small, so that adding an item rewrites few bytes.
    private static let pageSize = 1024

    /// The complete schema.
    ///
    /// Anything else in the file comes from another program.
    static let schema = [
        (name: "header", sql: "CREATE TABLE header (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"),
        (
            name: "log",
            sql: "CREATE TABLE log "
                + "(position INTEGER PRIMARY KEY, previous INTEGER NOT NULL, entry BLOB NOT NULL, blob BLOB)"
        ),
    ]

    static func configuration(isNew: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "ward.vault"
        configuration.busyMode = .immediateError
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            if isNew { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
            // The file is locked exclusively before the first read. So there is no file for shared memory beside the vault, and
            // a second process is refused. Every commit waits for the disk.
            try db.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA secure_delete = ON;
                    """
            )
        }
        return configuration
    }

    /// Refuses a file that is not a Ward vault, that has a later version, or that has anything besides the schema.
    static func checkSchema(_ db: Database) throws {
        // SQLite takes the lock at the first read. If another process has the lock, the error appears here.
        try db.execute(sql: "BEGIN IMMEDIATE; COMMIT")
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw VaultError(.damaged, "the file is not a Ward vault")
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.version else {
            throw VaultError(
                .unknownVersion,
                "the file has version \(version), but this program reads version \(Self.version)"
            )
        }
        let found = try GRDB.Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_schema ORDER BY name LIMIT 3")
        let isOurs =
            found.count == schema.count
            && zip(found, schema).allSatisfy { row, table in
                String.fromDatabaseValue(row[0]) == "table" && String.fromDatabaseValue(row[1]) == table.name
                    && String.fromDatabaseValue(row[2]) == table.sql
            }
        guard version == Self.version, isOurs else {
            throw VaultError(.damaged, "the file does not have the tables of a vault")
        }
    }
}

extension VaultError {
    /// Translates SQLite's error code to an error of the vault, without the statement and without SQLite's own message.
    init(_ error: DatabaseError) {
        let detail = "the vault's file cannot be read or written (result \(error.extendedResultCode.rawValue))"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.diskFull, "the disk is full")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.inUse, "another process has the vault open")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_CONSTRAINT,
            .SQLITE_FORMAT:
            self.init(.damaged, detail)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHORT_READ: self.init(.damaged, detail)
        case .SQLITE_MISUSE: self.init(.closed, "the vault was closed")
        default: self.init(.unavailable, detail)
        }
    }
}
