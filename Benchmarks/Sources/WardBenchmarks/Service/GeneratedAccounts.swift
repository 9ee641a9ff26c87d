import CSQLite
import Foundation
import WardWebAuthn

/// Many accounts in a service's database: copies of one that registered there, each with identifiers of its own.
///
/// All have the same key, so that the load can sign in as any of them. Each has a passkey, a session and a row of the audit log,
/// which is not chained. The identifiers are spread over all values, as random ones are.
struct GeneratedAccounts {
    /// The number of accounts.
    let count: Int

    /// The columns that differ in each copy, for the tables in the order in which rows refer to each other.
    ///
    /// Other columns are as in the row of the account that registered.
    private static let columns: [(table: String, own: [String: @Sendable (Int64, Int64) -> Value])] = [
        (
            "account",
            [
                "id": { .bytes(identifier($0, $1, 16)) }, "username": { number, _ in .text("account\(number)") },
                "username_mapped": { number, _ in .text(String(format: "account%09d", number)) },
                "user_handle": { .bytes(identifier($0, $1, 64)) },
            ]
        ),
        (
            "passkey",
            [
                "rowid": { number, _ in .number(number + 1_000) }, "credential_id": { .bytes(identifier($0, $1, 32)) },
                "account_id": { .bytes(identifier($0, $1, 16)) },
            ]
        ),
        (
            "session",
            [
                "token_hash": { .bytes(identifier($0, $1, 32)) }, "id": { .bytes(identifier($0, $1, 16)) },
                "account_id": { .bytes(identifier($0, $1, 16)) }, "credential_id": { .bytes(identifier($0, $1, 32)) },
            ]
        ),
        (
            "audit",
            [
                "number": { number, _ in .number(number + 1_000) }, "account_id": { .bytes(identifier($0, $1, 16)) },
                "credential_id": { .bytes(identifier($0, $1, 32)) },
            ]
        ),
    ]

    private enum Value {
        case bytes([UInt8])
        case text(String)
        case number(Int64)
    }

    /// The user handle of an account.
    func userHandle(_ number: Int) -> UserHandle? {
        UserHandle(Self.identifier(Int64(number), step, 64))
    }

    /// The credential ID of an account.
    func credentialID(_ number: Int) -> CredentialID? {
        CredentialID(Self.identifier(Int64(number), step, 32))
    }

    /// Writes the accounts into the database of a service that does not run.
    ///
    /// - Throws: `Command.Failed` if SQLite refuses.
    func write(to path: String, progress: (String) -> Void) throws {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw failure(database) }
        defer { sqlite3_close(database) }
        try run(
            """
            PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;
            BEGIN
            """,
            database
        )
        for (table, own) in Self.columns { try copy(table, own, database, progress) }
        try run("COMMIT", database)
    }

    private func copy(
        _ table: String,
        _ own: [String: @Sendable (Int64, Int64) -> Value],
        _ database: OpaquePointer?,
        _ progress: (String) -> Void
    ) throws {
        var names: [String] = []
        var list: OpaquePointer?
        sqlite3_prepare_v2(database, "SELECT name FROM pragma_table_info('\(table)')", -1, &list, nil)
        while sqlite3_step(list) == SQLITE_ROW { names.append(String(cString: sqlite3_column_text(list, 0))) }
        sqlite3_finalize(list)
        let parameters = own.sorted { $0.key < $1.key }
        let values = names.map { name in
            parameters.firstIndex { $0.key == name }.map { "?\($0 + 1)" } ?? "template.\(name)"
        }
        try run("CREATE TEMP TABLE template AS SELECT * FROM \(table) LIMIT 1", database)
        var insert: OpaquePointer?
        let sql =
            "INSERT INTO \(table) (\(names.joined(separator: ","))) "
            + "SELECT \(values.joined(separator: ",")) FROM temp.template AS template"
        guard sqlite3_prepare_v2(database, sql, -1, &insert, nil) == SQLITE_OK else { throw failure(database) }
        defer { sqlite3_finalize(insert) }
        for number in 0..<Int64(count) {
            for (index, (_, make)) in parameters.enumerated() {
                bind(make(number, step), Int32(index + 1), insert)
            }
            guard sqlite3_step(insert) == SQLITE_DONE else { throw failure(database) }
            sqlite3_reset(insert)
            if number % 1_000_000 == 999_999 { progress("\(table): \(number + 1)") }
        }
        sqlite3_finalize(insert)
        insert = nil
        try run("DROP TABLE temp.template", database)
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer?) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .bytes(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
        case .text(let text): sqlite3_bind_text(statement, index, text, -1, transient)
        case .number(let number): sqlite3_bind_int64(statement, index, number)
        }
    }

    private func run(_ sql: String, _ database: OpaquePointer?) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(database) }
    }

    private func failure(_ database: OpaquePointer?) -> Command.Failed {
        Command.Failed(description: "SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }

    /// The distance between the first eight bytes of two identifiers.
    private var step: Int64 { Int64.max / Int64(count) }

    /// Larger for larger numbers, so that rows come in the order of each index.
    private static func identifier(_ number: Int64, _ step: Int64, _ length: Int) -> [UInt8] {
        let first = withUnsafeBytes(of: (number * step).bigEndian, Array.init)
        let last = withUnsafeBytes(of: (number + 1).bigEndian, Array.init)
        return first + [UInt8](repeating: 0x5a, count: length - 16) + last
    }
}
