internal import Foundation
internal import GRDB
internal import Synchronization

/// The vault's file: a header, and the log in the order in which its entries arrived.
///
/// SQLite sees only encrypted or signed bytes. The connection locks the file exclusively from the first read until it is
/// released or closed, so two processes never write at the same time. Calls wait for the disk.
final class VaultDatabase: Sendable {
    /// An entry of the log and the data that belongs to it.
    struct Row: Hashable, Sendable {
        /// The position in the file, from 1.
        var position: Int64
        /// The position of the item's revision before, or 0 if there is none.
        ///
        /// It is only a hint and is always checked.
        var previous: Int64
        /// The signed entry.
        var entry: [UInt8]
        /// The encrypted item.
        ///
        /// It is absent if the entry has none, or if it was removed.
        var blob: [UInt8]?
    }

    private enum Connection {
        case open(DatabaseQueue)
        case released
        case closed
    }

    private let path: String
    private let connection: Mutex<Connection>
    private let environment: VaultEnvironment
    private let isCheckpointDue = Mutex(false)
    /// Whether the file is on a read-only file system.
    let isReadOnly: Bool

    /// Opens an existing file.
    ///
    /// - Throws: ``VaultError`` with `vaultMissing`, `inUse`, `damaged`, `unknownVersion` or `unavailable`.
    init(_ path: String, _ environment: VaultEnvironment) throws(VaultError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw VaultError(.vaultMissing, "there is no vault at \(path)")
        }
        self.environment = environment
        self.path = path
        let isReadOnly = ReadOnlyCopy.isNeeded(for: path)
        self.isReadOnly = isReadOnly
        connection = Mutex(.open(try translated { try Self.connect(path, isReadOnly: isReadOnly) }))
    }

    private static func connect(_ path: String, isReadOnly: Bool) throws -> DatabaseQueue {
        let copy = isReadOnly ? try ReadOnlyCopy(of: path) : nil
        defer { copy?.remove() }
        let queue = try DatabaseQueue(path: copy?.path ?? path, configuration: configuration(isNew: false))
        try queue.inDatabase { try checkSchema($0) }
        return queue
    }

    /// The connection.
    ///
    /// If the file was released, it is opened again.
    private func queue() throws -> DatabaseQueue {
        try connection.withLock { connection in
            switch connection {
            case .open(let queue): return queue
            case .closed: throw VaultError(.closed, "the vault was closed")
            case .released:
                guard FileManager.default.fileExists(atPath: path) else {
                    throw VaultError(.vaultMissing, "there is no vault at \(path)")
                }
                let queue = try Self.connect(path, isReadOnly: isReadOnly)
                connection = .open(queue)
                return queue
            }
        }
    }

    /// Creates a new file.
    ///
    /// The file must not exist.
    init(creating path: String, header: [UInt8], rows: [Row], _ environment: VaultEnvironment) throws(VaultError) {
        self.environment = environment
        isReadOnly = false
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SmallFile.refusal("writing", path) }
        _ = Foundation.close(descriptor)
        self.path = path
        let queue = try translated {
            let queue = try DatabaseQueue(path: path, configuration: Self.configuration(isNew: true))
            try queue.write { db in
                for statement in Self.schema { try db.execute(sql: statement.sql) }
                try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(Self.version)")
                try db.execute(sql: "INSERT INTO header (id, body) VALUES (1, ?)", arguments: [Data(header)])
            }
            return queue
        }
        connection = Mutex(.open(queue))
        try append(rows)
    }

    /// The header's bytes.
    func header() throws(VaultError) -> [UInt8] {
        try reading { db in
            let rows = try GRDB.Row.fetchAll(db, sql: "SELECT body FROM header LIMIT 2")
            guard rows.count == 1, case .blob(let data) = rows[0].databaseValue(0) else {
                throw VaultError(.damaged, "the vault has no header")
            }
            return [UInt8](data)
        }
    }

    /// The row at a position, or `nil` if there is none.
    func row(at position: Int64) throws(VaultError) -> Row? {
        try reading { db in
            let statement = try db.cachedStatement(sql: Self.select + "WHERE position = ?")
            return try GRDB.Row.fetchOne(statement, arguments: [position]).map { try Self.row($0) }
        }
    }

    /// Whether there is an encrypted item at a position.
    func hasBlob(at position: Int64) throws(VaultError) -> Bool {
        try reading { db in
            let sql = "SELECT 1 FROM log WHERE position = ? AND blob IS NOT NULL"
            return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [position]) != nil
        }
    }

    /// Reads the rows after a position, in order.
    func forEachRow(
        after position: Int64,
        withBlobs: Bool = true,
        _ body: (Row) throws -> Void
    ) throws(VaultError) {
        try reading { db in
            let columns = withBlobs ? Self.select : "SELECT position, previous, entry, NULL FROM log "
            let statement = try db.cachedStatement(sql: columns + "WHERE position > ? ORDER BY position")
            let cursor = try GRDB.Row.fetchCursor(statement, arguments: [position])
            while let found = try cursor.next() { try body(try Self.row(found)) }
        }
    }

    /// Reads the rows without an encrypted item, in order.
    func forEachRowWithoutBlob(_ body: (Row) throws -> Void) throws(VaultError) {
        try reading { db in
            let sql = "SELECT position, previous, entry, NULL FROM log WHERE blob IS NULL ORDER BY position"
            let cursor = try GRDB.Row.fetchCursor(db.cachedStatement(sql: sql))
            while let found = try cursor.next() { try body(try Self.row(found)) }
        }
    }

    /// Calls a closure with all rows, the latest first, until it returns `false`.
    func forEachRowBackwards(_ body: (Row) throws -> Bool) throws(VaultError) {
        try reading { db in
            let statement = try db.cachedStatement(sql: Self.select + "ORDER BY position DESC")
            let cursor = try GRDB.Row.fetchCursor(statement)
            while let found = try cursor.next() {
                guard try body(try Self.row(found)) else { return }
            }
        }
    }

    /// Writes entries, and at the same time a new header and removals.
    ///
    /// Either all is written or nothing.
    ///
    /// - Throws: ``VaultError`` with `diskFull`, `unavailable` or `damaged`; the file is then what it was.
    func append(
        _ rows: [Row],
        header: [UInt8]? = nil,
        clearingBlobs cleared: [Int64] = []
    ) throws(VaultError) {
        try checkWritable()
        defer { checkpointSoon() }
        try translated {
            try queue().write { db in
                for row in rows {
                    try environment.willWrite(.row)
                    try db.cachedStatement(sql: "INSERT INTO log (position, previous, entry, blob) VALUES (?, ?, ?, ?)")
                        .execute(arguments: [row.position, row.previous, Data(row.entry), row.blob.map { Data($0) }])
                }
                if let header {
                    try environment.willWrite(.row)
                    try Self.replace(header, db)
                }
                for position in cleared {
                    try environment.willWrite(.row)
                    try db.cachedStatement(sql: "UPDATE log SET blob = NULL WHERE position = ?")
                        .execute(arguments: [position])
                }
                try environment.willWrite(.commit)
            }
        }
    }

    /// Writes encrypted items into rows that have none.
    ///
    /// - Throws: ``VaultError`` with `diskFull`, `unavailable` or `damaged`; the file is then what it was.
    func fill(_ blobs: [Int64: [UInt8]]) throws(VaultError) {
        try checkWritable()
        defer { checkpointSoon() }
        try translated {
            try queue().write { db in
                for (position, blob) in blobs {
                    try environment.willWrite(.row)
                    try db.cachedStatement(sql: "UPDATE log SET blob = ? WHERE position = ? AND blob IS NULL")
                        .execute(arguments: [Data(blob), position])
                }
                try environment.willWrite(.commit)
            }
        }
    }

    /// Replaces a damaged header.
    func replaceHeader(_ header: [UInt8]) throws(VaultError) {
        try checkWritable()
        defer { checkpointSoon() }
        try translated {
            try queue().write { db in
                try environment.willWrite(.row)
                try Self.replace(header, db)
                try environment.willWrite(.commit)
            }
        }
    }

    /// Replaces all headers in the file with one.
    private static func replace(_ header: [UInt8], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM header WHERE id <> 1")
        try db.execute(sql: "INSERT OR REPLACE INTO header (id, body) VALUES (1, ?)", arguments: [Data(header)])
    }

    /// The position of the next row after a position, or `nil` after the last row.
    func position(after position: Int64) throws(VaultError) -> Int64? {
        try reading { db in
            let sql = "SELECT position FROM log WHERE position > ? ORDER BY position LIMIT 1"
            return try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [position])
        }
    }

    /// Copies the write-ahead log into the file, so that a copy of the file is complete.
    func checkpoint() throws(VaultError) {
        try translated { try Self.checkpoint(queue()) }
    }

    private static func checkpoint(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Copies the write-ahead log into the file soon, once for all changes until then.
    ///
    /// So a plain copy of the file is almost up to date.
    ///
    /// A failure has no effect: all data is on the disk, and the next change or the next locking tries again.
    private func checkpointSoon() {
        guard let delay = environment.checkpointDelay else { return }
        let isFirst = isCheckpointDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            isCheckpointDue.withLock { $0 = false }
            // If the file was released in the meantime, this was already done.
            let open: DatabaseQueue? = connection.withLock { connection in
                if case .open(let queue) = connection { queue } else { nil }
            }
            try? open.map { try Self.checkpoint($0) }
        }
    }

    private func checkWritable() throws(VaultError) {
        guard isReadOnly else { return }
        throw VaultError(.readOnly, "the vault is on a read-only file system, so it cannot be changed")
    }

    /// Copies all pages, including changes in the write-ahead log.
    func copyPages(to target: DatabaseQueue) throws { try queue().backup(to: target) }

    /// Checks the structure of the whole file with SQLite.
    func integrityCheck() throws(VaultError) {
        let finding = try reading { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
        guard finding == "ok" else {
            throw VaultError(.damaged, "the file's structure is damaged: \(finding ?? "no answer")")
        }
    }

    /// Closes the file.
    ///
    /// Closing twice is not an error.
    func close() throws(VaultError) {
        try disconnect(leaving: .closed)
    }

    /// Closes the file until the next call, so that other processes can open it.
    func release() throws(VaultError) { try disconnect(leaving: .released) }

    private func disconnect(leaving state: Connection) throws(VaultError) {
        try translated {
            try connection.withLock { connection in
                switch connection {
                case .open(let queue): try queue.close()
                case .released: break
                case .closed: return
                }
                connection = state
            }
        }
    }

    /// Limits the file to this number of pages.
    ///
    /// Tests use it to simulate a full disk.
    func limit(pages: Int) throws(VaultError) {
        try translated { try queue().inDatabase { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") } }
    }

    private func reading<T>(_ body: (Database) throws -> T) throws(VaultError) -> T {
        try translated { try queue().inDatabase(body) }
    }

    private static let select = "SELECT position, previous, entry, blob FROM log "

    /// Reads a row of the log.
    ///
    /// A damaged file can have values of any type, so each value's type is checked before its use.
    private static func row(_ row: GRDB.Row) throws(VaultError) -> Row {
        guard row.count == 4, case .int64(let position) = row.databaseValue(0),
            case .int64(let previous) = row.databaseValue(1), case .blob(let entry) = row.databaseValue(2)
        else { throw VaultError(.damaged, "a row of the log is malformed") }
        switch row.databaseValue(3) {
        case .null: return Row(position: position, previous: previous, entry: [UInt8](entry), blob: nil)
        case .blob(let blob):
            return Row(position: position, previous: previous, entry: [UInt8](entry), blob: [UInt8](blob))
        default: throw VaultError(.damaged, "a row of the log is malformed")
        }
    }
}

extension Row {
    /// A column's value as SQLite stores it; nothing is converted, so nothing can trap.
    fileprivate func databaseValue(_ index: Int) -> DatabaseValue.Storage {
        (self[index] as DatabaseValue).storage
    }
}

/// Runs a closure and translates SQLite's errors to errors of the vault.
func translated<T>(_ body: () throws -> T) throws(VaultError) -> T {
    do {
        return try body()
    } catch let error as VaultError {
        throw error
    } catch let error as DatabaseError {
        throw VaultError(error)
    } catch {
        throw VaultError(.unavailable, "the database refuses")
    }
}
