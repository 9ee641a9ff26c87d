import Foundation
import GRDB
import GRDBSQLite
public import WardAccounts
import WardWebAuthn

/// The transaction that closures of ``SQLiteAccountStore`` get.
///
/// Every call runs one statement, which is compiled once per connection. It reads or writes one row, except for lists and the
/// deletion of expired rows.
public final class SQLiteTransaction: AccountTransaction {
    let db: Database
    /// The first error that is not a refusal.
    ///
    /// After such an error SQLite may already have rolled back, and later statements would be committed one by one. So no later
    /// call is allowed.
    private var failure: (any Error)?
    /// The thread of the closure, and whether the transaction has ended.
    ///
    /// If a closure waits for something other than the transaction, it continues on another thread or later, when the
    /// connection already serves other closures.
    private let thread = pthread_self()
    private var isOver = false

    private init(_ db: Database) {
        self.db = db
    }

    /// Runs a closure to its end.
    ///
    /// If the closure caught an error and did not rethrow it, the transaction is still not committed.
    static func run<T: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) async throws -> T,
        on db: Database
    ) throws -> T {
        let transaction = SQLiteTransaction(db)
        defer { transaction.isOver = true }
        do {
            let result = try runSynchronously(body, with: transaction)
            try transaction.checkUsable()
            return result
        } catch let error as SuspendedTransactionError {
            throw StoreError(.unavailable, detail: error.description)
        }
    }

    private func checkUsable() throws {
        guard pthread_equal(thread, pthread_self()) != 0, !isOver else {
            throw StoreError(.unavailable, detail: "the transaction has ended")
        }
        if let failure { throw failure }
    }

    /// Runs the statement and decodes the first row.
    func first<T>(_ sql: String, _ values: [StoredValue], _ decode: (StoredRow) throws -> T) throws -> T? {
        var result: T?
        // The statement is read to its end, even for one row: a statement that writes and returns rows must be completed.
        try step(sql, values) { result = try decode($0) }
        return result
    }

    /// Runs the statement and decodes all rows.
    func all<T>(_ sql: String, _ values: [StoredValue], _ decode: (StoredRow) throws -> T) throws -> [T] {
        var results: [T] = []
        try step(sql, values) { results.append(try decode($0)) }
        return results
    }

    /// Runs the statement and returns the number of changed rows.
    @discardableResult
    func change(_ sql: String, _ values: [StoredValue]) throws -> Int {
        try step(sql, values) { _ in }
        return db.changesCount
    }

    /// Runs the statement to its end.
    ///
    /// GRDB compiles it, once per connection. Its values are bound and its rows are read here, in a tenth of the time.
    private func step(_ sql: String, _ values: [StoredValue], _ row: (StoredRow) throws -> Void) throws {
        try translating {
            let statement = try unsafe db.cachedStatement(sql: sql).sqliteStatement
            defer {
                unsafe sqlite3_reset(statement)
                unsafe sqlite3_clear_bindings(statement)
            }
            for (index, value) in zip(CInt(1)..., values) {
                guard unsafe value.bind(to: statement, at: index) == SQLITE_OK else { throw lastError }
            }
            while true {
                switch unsafe sqlite3_step(statement) {
                case SQLITE_ROW: try unsafe row(StoredRow(statement))
                case SQLITE_DONE: return
                default: throw lastError
                }
            }
        }
    }

    private var lastError: DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: unsafe sqlite3_extended_errcode(db.sqliteConnection)))
    }

    /// Deletes some expired rows, and returns free pages to the file system.
    func sweep(_ sql: String, _ time: Int64, _ limit: Int) throws -> Int {
        let count = try change(sql, [.integer(time), .integer(Int64(max(0, limit)))])
        // The number of pages that the largest rows of one step can have. Files that were created before this setting never
        // shrink.
        if count > 0 { try change("PRAGMA incremental_vacuum(\(Self.pagesToFree))", []) }
        return count
    }

    private static let pagesToFree = 1_024

    /// Inserts a row.
    ///
    /// Violated constraints become refusals.
    ///
    /// - Returns: Whether the row was inserted; `false` if the conflict in the statement's ON CONFLICT occurred.
    func insert(_ sql: String, _ values: [StoredValue]) throws -> Bool {
        try change(sql, values) == 1
    }

    private func translating<T>(_ body: () throws -> T) throws -> T {
        try checkUsable()
        do {
            return try body()
        } catch {
            let translated = Self.translated(error)
            // SQLite undoes a statement that violates a constraint, and the transaction continues.
            if (translated as? StoreError)?.code.isRefusal != true { failure = translated }
            throw translated
        }
    }

    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_FOREIGNKEY: StoreError(.accountNotFound)
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: StoreError(.conflict)
        default: StoreError(error)
        }
    }
}

// This is safe, because only the closure that got the transaction uses it.
@available(*, unavailable)
extension SQLiteTransaction: Sendable {}
