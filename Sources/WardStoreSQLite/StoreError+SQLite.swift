import GRDB
import WardAccounts
import WardSQLite

extension StoreError {
    /// The error with the code of a failure of the database.
    init(_ failure: DatabaseFailure) {
        switch failure.code {
        case .damaged: self.init(.damaged, detail: failure.detail)
        case .busy: self.init(.busy, detail: failure.detail)
        default: self.init(.unavailable, detail: failure.detail)
        }
    }

    /// The error code of SQLite, without the statement, its arguments or SQLite's message.
    init(_ error: DatabaseError) { self.init(DatabaseFailure(error)) }
}

/// Runs a closure and translates errors of the database to `StoreError`.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw DatabaseFailure(error).map { StoreError($0) } ?? error
    }
}
