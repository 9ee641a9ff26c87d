package import GRDB
package import WardSQLite

/// What a database of the sync server contains, for an operator.
package struct SyncDatabaseState: MaintainedDatabase {
    /// The number of the newest migration of the file.
    ///
    /// It is 0 for an empty file.
    package let schemaVersion: Int
    /// The number of vaults.
    package let vaults: Int
    /// The number of entries of all vaults.
    package let entries: Int
    /// The length of all entries and blobs, in bytes.
    package let bytes: Int

    package static var schema: DatabaseSchema { SyncSchema.database }
    package static let option = "--sync-database"

    package init(_ db: Database) throws {
        schemaVersion = try Self.schema.version(db)
        vaults = try db.count("vault", in: "vault")
        entries = try db.count("entry", in: "entry")
        bytes = vaults == 0 ? 0 : try Int.fetchOne(db, sql: "SELECT sum(bytes) FROM vault") ?? 0
    }

    /// Ends all sessions, and gives each vault a new order.
    ///
    /// The entries after the backup are lost. Under the old name of the order, other entries would get their numbers, and devices would
    /// see a server that shows two orders. Under a new name they see that it was restored, and bring what is missing.
    package static func prepareRestored(_ db: Database) throws {
        guard try db.tableExists("vault") else { return }
        try db.execute(sql: "DELETE FROM session; UPDATE vault SET entry_order = randomblob(16)")
    }

    package func refusal(toReplace other: SyncDatabaseState) -> String? { nil }
}
