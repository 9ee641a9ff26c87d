import Foundation
import GRDB
import WardAccounts

/// The database file itself, before SQLite opens it.
enum DatabaseFile {
    /// Creates an empty database that only its owner can open, unless the file exists.
    ///
    /// SQLite gives its log the same mode. A new database can give pages back to the file system when rows are deleted
    /// (`PRAGMA auto_vacuum`), which must be said before its first table.
    static func create(at path: String) throws {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        let reason = errno
        guard descriptor < 0 else {
            _ = close(descriptor)
            let database = try DatabaseQueue(path: path)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = \(Schema.applicationID)")
            }
            try database.close()
            return
        }
        guard reason == EEXIST else {
            let words = unsafe String(cString: strerror(reason))
            throw StoreError(.unavailable, detail: "the database file cannot be created: \(words)")
        }
    }
}
