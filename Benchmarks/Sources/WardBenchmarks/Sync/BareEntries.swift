import CSQLite
import Crypto
import Foundation

/// The least that taking entries costs: each has a signature to check, a box to open and a row to write.
struct BareEntries {
    private let count: Int
    private let box: Data
    private let key = SymmetricKey(size: .bits256)
    private let signer = Curve25519.Signing.PrivateKey()
    private let signature: Data

    init(count: Int, length: Int) throws {
        self.count = count
        let text = Data(count: max(64, length))
        guard let box = try AES.GCM.seal(text, using: key).combined else {
            throw Command.Failed(description: "AES-GCM seals nothing")
        }
        self.box = box
        signature = try signer.signature(for: text.prefix(300))
    }

    /// Does it once.
    ///
    /// - Parameter folder: Where the rows are written.
    /// - Throws: `Command.Failed` if a step does not do what it should.
    func take(in folder: String) throws {
        let path = folder + "/bare-\(UUID().uuidString).sqlite"
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else {
            throw Command.Failed(description: "SQLite opens no file")
        }
        defer {
            sqlite3_close(database)
            try? FileManager.default.removeItem(atPath: path)
        }
        let schema = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE row (position INTEGER PRIMARY KEY, entry BLOB); BEGIN
            """
        guard sqlite3_exec(database, schema, nil, nil, nil) == SQLITE_OK else {
            throw Command.Failed(description: "SQLite makes no table")
        }
        var statement: OpaquePointer?
        let insert = "INSERT INTO row VALUES (?1, randomblob(?2))"
        guard sqlite3_prepare_v2(database, insert, -1, &statement, nil) == SQLITE_OK else {
            throw Command.Failed(description: "SQLite takes no statement")
        }
        let verifier = signer.publicKey
        for position in 0..<count {
            let text = try AES.GCM.open(AES.GCM.SealedBox(combined: box), using: key)
            guard verifier.isValidSignature(signature, for: text.prefix(300)) else {
                throw Command.Failed(description: "a signature is wrong")
            }
            keep(SHA256.hash(data: box))
            sqlite3_bind_int64(statement, 1, Int64(position))
            sqlite3_bind_int64(statement, 2, Int64(box.count))
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw Command.Failed(description: "SQLite keeps no row")
            }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        guard sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK else {
            throw Command.Failed(description: "SQLite commits nothing")
        }
    }
}
