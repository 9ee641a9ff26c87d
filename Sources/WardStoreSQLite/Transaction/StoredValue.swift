import GRDBSQLite
import WardAccounts

/// A value of a column.
///
/// GRDB's own values copy every byte string into a `Data` and back. Here it is copied once.
enum StoredValue {
    case null
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])

    static func blob(_ bytes: [UInt8]?) -> StoredValue { bytes.map { .blob($0) } ?? .null }
    static func integer(_ value: Int64?) -> StoredValue { value.map { .integer($0) } ?? .null }
    static func flag(_ value: Bool) -> StoredValue { .integer(value ? 1 : 0) }

    /// SQLite text ends at U+0000, so text with U+0000 is refused instead of truncated.
    static func text(_ text: String) throws -> StoredValue {
        guard !text.utf8.contains(0) else { throw StoreError(.notStorable, detail: "text with U+0000") }
        return .text(Array(text.utf8))
    }

    /// One column for a list of words: each word ends in a comma; a backslash escapes commas and backslashes.
    static func words(_ words: [String]) throws -> StoredValue {
        var joined = String.UnicodeScalarView()
        for word in words {
            for scalar in word.unicodeScalars {
                if scalar == "," || scalar == "\\" { joined.append("\\") }
                joined.append(scalar)
            }
            joined.append(",")
        }
        return try text(String(joined))
    }

    /// Binds the value to a parameter of a statement.
    ///
    /// SQLite keeps a copy.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - index: The parameter's number, from 1.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        switch self {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let value): unsafe sqlite3_bind_int64(statement, index, value)
        // Without bytes there is no address, and SQLite takes no address for NULL.
        case .text(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_text(statement, index, "", 0, Self.copied)
        case .blob(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_zeroblob(statement, index, 0)
        case .text(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
                let (count, encoding) = (sqlite3_uint64(bytes.count), UInt8(SQLITE_UTF8))
                return unsafe sqlite3_bind_text64(statement, index, start, count, Self.copied, encoding)
            }
        case .blob(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                let count = sqlite3_uint64(bytes.count)
                return unsafe sqlite3_bind_blob64(statement, index, bytes.baseAddress, count, Self.copied)
            }
        }
    }

    /// `SQLITE_TRANSIENT`, which Swift does not import.
    private static var copied: sqlite3_destructor_type? {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
    }
}
