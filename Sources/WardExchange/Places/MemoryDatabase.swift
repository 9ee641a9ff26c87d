internal import GRDB
internal import GRDBSQLite

/// Reads a database of SQLite that another program wrote, from memory.
///
/// So the file is not locked, not changed, and no copy of it is on the disk.
enum MemoryDatabase {
    /// Runs queries on a database.
    ///
    /// - Parameters:
    ///   - content: The file.
    ///   - queries: Reads what is wanted; `nil` if the database is not of the kind that is wanted.
    /// - Returns: What the queries found.
    /// - Throws: `DatabaseError` if the file is not a database or is damaged.
    static func read<T>(_ content: [UInt8], _ queries: (Database) throws -> T?) throws -> T {
        // A database in memory has no file beside it for what is not merged yet.
        var content = content
        for index in [18, 19] where content.count > 100 && content[index] == 2 { content[index] = 1 }
        let size = Int64(content.count)
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            guard let memory = unsafe sqlite3_malloc64(UInt64(content.count)) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            unsafe content.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: bytes)
            }
            // SQLite frees the memory, also if this fails.
            let result = unsafe sqlite3_deserialize(
                db.sqliteConnection,
                "main",
                memory.assumingMemoryBound(to: UInt8.self),
                size,
                size,
                UInt32(SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE)
            )
            guard result == SQLITE_OK else { throw DatabaseError(resultCode: .init(rawValue: result)) }
            // Views and triggers of a stranger run no functions, and sizes inside of pages are checked.
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")
            guard let found = try queries(db) else { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
            return found
        }
    }
}
