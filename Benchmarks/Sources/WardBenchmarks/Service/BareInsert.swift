import CSQLite
import Foundation

/// The least that a promise costs: a row in a table that is on the disk before the next one.
final class BareInsert {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    init(in folder: String) throws {
        guard sqlite3_open(folder + "/bare.sqlite", &database) == SQLITE_OK else {
            throw Command.Failed(description: "SQLite opens no file")
        }
        let schema = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE row (id BLOB PRIMARY KEY, time INTEGER, value BLOB) WITHOUT ROWID
            """
        let insert = "INSERT INTO row VALUES (randomblob(16), 1, randomblob(100))"
        guard sqlite3_exec(database, schema, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, insert, -1, &statement, nil) == SQLITE_OK
        else { throw Command.Failed(description: "SQLite makes no table") }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func run(_ count: Int) throws {
        for _ in 0..<count {
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw Command.Failed(description: "SQLite keeps no row")
            }
            sqlite3_reset(statement)
        }
    }
}
