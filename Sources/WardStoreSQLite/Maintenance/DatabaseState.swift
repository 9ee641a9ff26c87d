import Foundation
import GRDB

/// The state of a database, for an administrator.
package struct DatabaseState: Sendable {
    /// The number of the newest migration of the file.
    ///
    /// It is 0 for an empty file.
    package let schemaVersion: Int
    /// The domain of the service that used the database first.
    ///
    /// It is `nil` before the first start.
    package let rpID: String?
    /// The number of accounts.
    package let accounts: Int
    /// The number of passkeys.
    package let passkeys: Int
    /// The number of accounts that have a password and no passkey.
    package let passwordOnlyAccounts: Int

    /// The schema version that this version of Ward reads and writes.
    package static var currentSchemaVersion: Int { Schema.identifiers.count }

    /// Reads every page of a database, checks its structure and every reference, and counts its records.
    ///
    /// It changes nothing. A service can run at the same time.
    ///
    /// - Parameter path: The file; it must exist.
    /// - Returns: The database's state.
    /// - Throws: ``MaintenanceError`` if there is no file; `StoreError.Code.damaged` with the first problem;
    ///   `StoreError.Code.unavailable` if it belongs to another program or was written by a later version.
    package static func check(_ path: String) throws -> DatabaseState {
        try existingDatabase(path)
        let lock = try DatabaseLock.shared(path)
        return try withExtendedLifetime(lock) { try translatingErrors { try read(path) } }
    }

    /// Reads a database that the caller has locked, or that no other program knows.
    ///
    /// With `acceptsLater`, the database may be from a later version of Ward.
    static func read(_ path: String, acceptsLater: Bool = false) throws -> DatabaseState {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(SQLiteAccountStore.busyTimeout)
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? database.close() }
        return try database.read { db in
            try Schema.checkOwner(db, acceptsLater: acceptsLater)
            try SQLiteAccountStore.checkIntegrity(db)
            func count(_ sql: String, _ tables: String...) throws -> Int {
                guard try tables.allSatisfy({ try db.tableExists($0) }) else { return 0 }
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(sql)") ?? 0
            }
            let name = try db.tableExists("secret") ? try Data.fetchOne(db, sql: Self.rpIDQuery) : nil
            return DatabaseState(
                schemaVersion: try Schema.version(db),
                rpID: name.map { String(decoding: $0, as: UTF8.self) },
                accounts: try count("account", "account"),
                passkeys: try count("passkey", "passkey"),
                passwordOnlyAccounts: try count(Self.passwordOnly, "password", "passkey")
            )
        }
    }

    /// Accounts that can sign in with a password alone.
    static let passwordOnly = """
        password WHERE NOT EXISTS (SELECT 1 FROM passkey WHERE passkey.account_id = password.account_id)
        """
    private static let rpIDQuery = "SELECT bytes FROM secret WHERE name = 'rp-id'"

    /// - Throws: ``MaintenanceError`` unless there is a file.
    static func existingDatabase(_ path: String) throws(MaintenanceError) {
        guard FileIdentity(path: path) != nil else {
            throw MaintenanceError(
                "there is no database at \(path): give another path with --database, or create the database with ward-server "
                    + "serve"
            )
        }
    }
}
