import GRDB
import WardAccounts

extension StoreError {
    /// Says what SQLite said, without the statement, its arguments or SQLite's own message.
    init(_ error: DatabaseError) {
        let detail = "SQLite \(error.extendedResultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.damaged, detail: detail)
        default: self.init(.unavailable, detail: detail)
        }
    }
}

/// Runs a closure and turns SQLite's errors into ours.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw StoreError(error)
    }
}
