package import GRDB

/// The tables of a kind of database, and the migrations of older files.
///
/// A released migration is never changed; a new one is added after it.
package struct DatabaseSchema: Sendable {
    /// Identifies a file, so that Ward never writes into another program's file.
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    package let applicationID: Int
    private let migrator: DatabaseMigrator

    package init(applicationID: Int, _ migrator: DatabaseMigrator) {
        self.applicationID = applicationID
        self.migrator = migrator
    }

    /// Creates the tables, or migrates those of an older version.
    package func prepare(_ database: any DatabaseWriter) throws {
        try database.read { try checkOwner($0) }
        try migrator.migrate(database)
    }

    /// Checks that a file is empty, or has tables that this version can read or migrate.
    ///
    /// - Parameters:
    ///   - db: A connection to the file.
    ///   - acceptsLater: Whether a later version may have written the file.
    /// - Throws: ``DatabaseFailure`` with `unavailable` if it belongs to another program or was written by a later version.
    func checkOwner(_ db: Database, acceptsLater: Bool = false) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        // A new file has no tables, except for those that GRDB creates before the first migration. A file that somebody else created
        // has no application ID then.
        let tables = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM sqlite_schema WHERE tbl_name NOT IN ('grdb_migrations', 'grdb_issue_102')"
        )
        guard id == applicationID || id == 0 && tables == 0 else {
            throw DatabaseFailure(.unavailable, detail: "the database belongs to another program")
        }
        guard try acceptsLater || !migrator.hasBeenSuperseded(db) else {
            throw DatabaseFailure(
                .unavailable,
                detail: "the database was written by a later version of Ward: update the service"
            )
        }
    }

    /// The number of migrations that a file has.
    package func version(_ db: Database) throws -> Int { try migrator.appliedIdentifiers(db).count }

    /// The names of all migrations, oldest first.
    package var identifiers: [String] { migrator.migrations }
}
