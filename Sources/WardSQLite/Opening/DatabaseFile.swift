import Foundation
import GRDB

/// Creates the database file before SQLite opens it.
enum DatabaseFile {
    /// Creates an empty database that only its owner can open, unless the file exists.
    ///
    /// SQLite gives its write-ahead log the same mode. The setting `PRAGMA auto_vacuum` lets a database return pages to the
    /// file system when rows are deleted. It must be set before the first table is created.
    static func create(at path: String, _ schema: DatabaseSchema) throws {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        let reason = errno
        guard descriptor < 0 else {
            _ = close(descriptor)
            let database = try DatabaseQueue(path: path)
            try database.writeWithoutTransaction { db in
                try db.execute(
                    sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = \(schema.applicationID)"
                )
            }
            try database.close()
            return
        }
        guard reason == EEXIST else {
            let words = unsafe String(cString: strerror(reason))
            throw DatabaseFailure(.unavailable, detail: "the database file cannot be created: \(words)")
        }
    }
}
