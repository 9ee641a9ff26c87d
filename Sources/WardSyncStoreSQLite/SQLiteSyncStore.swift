package import GRDB
import WardSQLite
import WardSyncRecords

/// Vaults in one SQLite file.
///
/// Readers run beside each other and beside the one writer (write-ahead log). `PRAGMA synchronous` is `FULL`: what a call wrote is on
/// the disk when the call returns. Writes that wait at the same time share one commit. A call that is cancelled before it begins, or
/// before its turn to write, gets `CancellationError`.
///
/// Use the file from one process, and not on a network file system. Commands of an operator can use it for a moment.
package final class SQLiteSyncStore: SyncStore {
    let database: StoreDatabase

    /// Opens a database, and creates the file if it does not exist.
    ///
    /// Only the owner can read and write a new file (mode 0600). Its folder must exist. The call waits for the disk.
    ///
    /// - Throws: ``SyncStoreError`` with `damaged` if the file is no readable database, or with `unavailable` if it cannot be opened,
    ///   belongs to another program, is being restored, or was written by a later version.
    package init(path: String) throws {
        database = try translatingErrors {
            try StoreDatabase(path: path, SyncSchema.database, label: Self.label, isFailure: Self.isFailure)
        }
    }

    private init(_ database: StoreDatabase) { self.database = database }

    /// An empty database in memory.
    package static func inMemory() throws -> SQLiteSyncStore {
        let database = try translatingErrors {
            try StoreDatabase(inMemory: SyncSchema.database, label: label, isFailure: isFailure)
        }
        return SQLiteSyncStore(database)
    }

    private static let label = "ward.sync"

    /// Whether a transaction cannot go on after an error of a closure.
    private static func isFailure(_ error: any Error) -> Bool {
        (error as? SyncStoreError).map { !$0.code.isRefusal } ?? false
    }

    /// Lets running calls finish, copies the log into the file, and closes it.
    package func close() async throws { try await passing { try await database.close() } }

    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.read(body) }
    }

    /// Reads a few rows, on the calling thread.
    func readHere<T>(_ body: (Database) throws -> T) throws -> T {
        try translatingErrors { try database.readHere(body) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.write(body) }
    }

    /// Runs a closure on the writing connection, for tests of the connection.
    package func onWriter<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await passing { try await database.onWriter(body) }
    }

    private func passing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch {
            throw DatabaseFailure(error).map { SyncStoreError($0) } ?? error
        }
    }
}

/// Runs a closure and translates errors of the database to `SyncStoreError`.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw DatabaseFailure(error).map { SyncStoreError($0) } ?? error
    }
}

extension SyncStoreError {
    /// The error with the code of a failure of the database.
    init(_ failure: DatabaseFailure) {
        switch failure.code {
        case .damaged: self.init(.damaged, detail: failure.detail)
        case .busy: self.init(.busy, detail: failure.detail)
        default: self.init(.unavailable, detail: failure.detail)
        }
    }
}
