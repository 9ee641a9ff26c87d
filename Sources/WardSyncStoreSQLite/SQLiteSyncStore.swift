import Foundation
package import GRDB
import WardSyncRecords

/// Vaults in one SQLite file.
///
/// Readers run beside each other and beside the one writer (write-ahead log). `PRAGMA synchronous` is `FULL`: what a call wrote is on
/// the disk when the call returns. Writes that wait at the same time share one commit.
///
/// Use the file from one process, and not on a network file system.
package final class SQLiteSyncStore: SyncStore {
    /// How long a write waits while another process locks the database, in seconds.
    private static let busyTimeout = 10.0

    let database: any DatabaseWriter
    let writes: CommitQueue

    /// Opens a database, and creates the file if it does not exist.
    ///
    /// Only the owner can read and write a new file (mode 0600). Its folder must exist. The call waits for the disk.
    ///
    /// - Throws: ``SyncStoreError`` with `damaged` if the file is no readable database, or with `unavailable` if it cannot be opened,
    ///   belongs to another program, or was written by a later version.
    package convenience init(path: String) throws {
        try self.init(
            translatingErrors {
                try Self.createFile(at: path)
                let pool = try DatabasePool(path: path, configuration: Self.configuration())
                // The pool sets NORMAL for write-ahead logs, and only on this connection; the readers never commit.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                return pool
            }
        )
    }

    private init(_ database: any DatabaseWriter) throws {
        try translatingErrors { try SyncSchema.prepare(database) }
        self.database = database
        writes = CommitQueue(database)
    }

    /// An empty database in memory.
    package static func inMemory() throws -> SQLiteSyncStore {
        try SQLiteSyncStore(translatingErrors { try DatabaseQueue(configuration: configuration()) })
    }

    /// Copies the log into the file and closes it.
    package func close() throws {
        // The readers are closed first: SQLite copies the log when the last connection closes, and a reader cannot do that.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try translatingErrors { try database.close() }
    }

    /// SQLite gives its write-ahead log the mode of the file.
    private static func createFile(at path: String) throws {
        let descriptor = unsafe Foundation.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        let reason = errno
        guard descriptor < 0 else {
            _ = Foundation.close(descriptor)
            let database = try DatabaseQueue(path: path)
            // It must be set before the first table is created, and lets pages of deleted vaults go back to the file system.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
            try database.close()
            return
        }
        guard reason == EEXIST else {
            let words = unsafe String(cString: strerror(reason))
            throw SyncStoreError(.unavailable, detail: "the database file cannot be created: \(words)")
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "ward.sync"
        configuration.prepareDatabase { db in
            // The schema in the file must not be able to run code, and SQLite must detect damage when it reads a page.
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -8192")
        }
        return configuration
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do {
            return try await database.read(body)
        } catch {
            throw translated(error)
        }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do {
            return try await writes.run(body)
        } catch {
            throw translated(error)
        }
    }

    /// Runs a closure on the writing connection, for tests of the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await database.writeWithoutTransaction(body)
    }
}

/// Runs a closure and translates SQLite's errors.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw translated(error)
    }
}

/// The error code of SQLite, without the statement, its arguments or SQLite's message.
private func translated(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let detail = "SQLite \(error.extendedResultCode)"
    return switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: SyncStoreError(.damaged, detail: detail)
    case .SQLITE_BUSY: SyncStoreError(.busy, detail: detail)
    default: SyncStoreError(.unavailable, detail: detail)
    }
}
