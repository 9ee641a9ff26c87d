package import GRDB
import WardText

/// Why a database cannot be used.
///
/// A store throws an error of its own with the same code.
package struct DatabaseFailure: CodedError {
    /// The kind of failure.
    package struct Code: ErrorCode {
        package let name: String

        /// Stored data is malformed; the operator must look at it.
        package static let damaged = Self(name: "damaged")
        /// The database cannot be used at the moment: closed, full, unreachable, or of another program.
        package static let unavailable = Self(name: "unavailable")
        /// Too much is to be written, or another program has locked the database.
        package static let busy = Self(name: "busy")
    }

    package let code: Code
    /// What happened, for a log, without values of records.
    package let detail: String

    package init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The error code of SQLite, without the statement, its arguments or SQLite's message.
    package init(_ error: DatabaseError) {
        let detail = "SQLite \(error.extendedResultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.damaged, detail: detail)
        case .SQLITE_BUSY: self.init(.busy, detail: detail)
        default: self.init(.unavailable, detail: detail)
        }
    }

    /// The failure that an error is; `nil` if it is another one.
    package init?(_ error: any Error) {
        switch error {
        case let failure as DatabaseFailure: self = failure
        case let error as DatabaseError: self.init(error)
        default: return nil
        }
    }
}

/// Runs a closure and translates SQLite's errors to ``DatabaseFailure``.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw DatabaseFailure(error)
    }
}
