import Foundation
package import GRDB
package import WardSQLite

/// What a database of accounts contains, for an administrator.
package struct DatabaseState: MaintainedDatabase {
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

    package static var schema: DatabaseSchema { Schema.database }
    package static let option = "--database"

    package init(_ db: Database) throws {
        schemaVersion = try Self.schema.version(db)
        let name = try db.tableExists("secret") ? try Data.fetchOne(db, sql: Self.rpIDQuery) : nil
        rpID = name.map { String(decoding: $0, as: UTF8.self) }
        accounts = try db.count("account", in: "account")
        passkeys = try db.count("passkey", in: "passkey")
        passwordOnlyAccounts = try db.count(Self.passwordOnly, in: "password", "passkey")
    }

    /// Sessions, ceremonies, links and messages that wait are not restored: they may have been ended on purpose since.
    package static func prepareRestored(_ db: Database) throws {
        for table in ["session", "ceremony", "recovery_link", "mail_link", "mail"] where try db.tableExists(table) {
            try db.execute(sql: "DELETE FROM \(table)")
        }
    }

    package func refusal(toReplace other: DatabaseState) -> String? {
        guard let rpID, let replaced = other.rpID, rpID != replaced else { return nil }
        return "the backup is of \(rpID) and the database is of \(replaced): restore it to another file with --database"
    }

    /// Accounts that can sign in with a password alone.
    static let passwordOnly = """
        password WHERE NOT EXISTS (SELECT 1 FROM passkey WHERE passkey.account_id = password.account_id)
        """
    private static let rpIDQuery = "SELECT bytes FROM secret WHERE name = 'rp-id'"
}
