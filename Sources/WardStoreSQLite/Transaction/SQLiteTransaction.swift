import Foundation
import GRDB
public import WardAccounts
import WardWebAuthn

/// What closures passed to ``SQLiteAccountStore`` ask their questions of.
///
/// Every call runs one statement, compiled once per connection, that touches one row (lists and sweeps aside).
public final class SQLiteTransaction: AccountTransaction {
    let db: Database
    /// The first failure that is not a refusal.
    ///
    /// After it SQLite may have rolled back already, and whatever followed would be committed statement by statement:
    /// so nothing may follow.
    private var failure: (any Error)?
    /// Whose thread the closure runs on, and whether its time is over: a closure that waits for something else goes on
    /// elsewhere, or later, when the connection works for others.
    private let thread = pthread_self()
    private var isOver = false

    private init(_ db: Database) {
        self.db = db
    }

    /// Runs a closure to its end; one that swallowed a failure does not get the rest of its work committed.
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
            throw StoreError(.unavailable, detail: "the transaction is over")
        }
        if let failure { throw failure }
    }

    /// Runs the statement and returns the first row, decoded.
    func first<T>(_ sql: String, _ values: [DatabaseValue], _ decode: (Row) throws -> T) throws -> T? {
        try translating {
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: Self.arguments(values))
            var result: T?
            // To the end, although there is one row: a statement that writes and returns must not be left half-way.
            while let row = try rows.next() { result = try decode(row) }
            return result
        }
    }

    /// Runs the statement and returns all rows, decoded.
    func all<T>(_ sql: String, _ values: [DatabaseValue], _ decode: (Row) throws -> T) throws -> [T] {
        try translating {
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: Self.arguments(values))
            var results: [T] = []
            while let row = try rows.next() { results.append(try decode(row)) }
            return results
        }
    }

    /// Runs the statement and returns how many rows it changed.
    @discardableResult
    func change(_ sql: String, _ values: [DatabaseValue]) throws -> Int {
        try translating {
            try db.cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
            return db.changesCount
        }
    }

    /// Inserts a row; constraints that are refusals come out as such.
    ///
    /// - Returns: Whether the row went in; if not, the conflict named in the statement was met.
    func insert(_ sql: String, _ values: [DatabaseValue]) throws -> Bool {
        try change(sql, values) == 1
    }

    /// By way of existentials, because the initialiser for arrays of one type makes a key path on every call.
    private static func arguments(_ values: [DatabaseValue]) -> StatementArguments {
        StatementArguments(values.lazy.map { $0 as (any DatabaseValueConvertible)? })
    }

    private func translating<T>(_ body: () throws -> T) throws -> T {
        try checkUsable()
        do {
            return try body()
        } catch {
            let translated = Self.translated(error)
            // A statement that meets a constraint is undone by itself, the transaction goes on.
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

// A transaction belongs to the closure it was passed to.
@available(*, unavailable)
extension SQLiteTransaction: Sendable {}
