import GRDB
import WardAccounts

extension StoreError {
    /// The error code of SQLite, without the statement, its arguments or SQLite's message.
    init(_ error: DatabaseError) {
        let detail = "SQLite \(error.extendedResultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.damaged, detail: detail)
        case .SQLITE_BUSY: self.init(.busy, detail: detail)
        default: self.init(.unavailable, detail: detail)
        }
    }
}

/// Runs a closure and translates SQLite's errors to `StoreError`.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw StoreError(error)
    }
}
