import Foundation
import GRDB
import Testing
import WardAccounts
import WardStoreSQLite
import WardWebAuthn

@Suite struct `SQLite in trouble` {
    @Test func `a directory that is not there is a typed error`() {
        #expect(throws: StoreError(.unavailable)) {
            try SQLiteAccountStore(path: "/nonexistent-\(UUID().uuidString)/ward.sqlite")
        }
        #expect(throws: StoreError(.unavailable)) { try SQLiteAccountStore(path: NSTemporaryDirectory()) }
    }

    @Test func `a file that is not a database is a typed error and stays as it is`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let content = Data("To be, or not to be, that is the question. ".utf8) + Data(count: 8192)
            try content.write(to: URL(fileURLWithPath: path))
            #expect(throws: StoreError(.damaged)) { try SQLiteAccountStore(path: path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    @Test func `another program's database is left alone`() async throws {
        try await withDirectory { directory in
            let path = directory + "/other.sqlite"
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY)") }
            try other.close()
            #expect(throws: StoreError(.unavailable)) { try SQLiteAccountStore(path: path) }
            let tables = try await DatabaseQueue(path: path).read { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema")
            }
            #expect(tables == ["thing"])
        }
    }

    @Test func `a database of a later version is left alone`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            try await SQLiteAccountStore(path: path).close()
            let later = try DatabaseQueue(path: path)
            try await later.write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
            }
            try later.close()
            let error = try #require(throws: StoreError.self) { try SQLiteAccountStore(path: path) }
            #expect(error.code == .unavailable)
            #expect(error.detail.contains("later version"))
        }
    }

    @Test func `damage inside the file is found and typed, wherever it is`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let store = try SQLiteAccountStore(path: path)
            try await store.write { tx in
                for index in 0..<40 {
                    let account = try Person.account("person-\(index)")
                    try tx.insert(account)
                    try tx.insert(Person.passkey(of: account))
                }
            }
            try await store.close()
            let sound = try Data(contentsOf: URL(fileURLWithPath: path))
            var findings = 0
            for page in 0..<(sound.count / 4096) {
                var content = sound
                content.replaceSubrange(
                    (page * 4096 + 8)..<(page * 4096 + 600),
                    with: Data(repeating: 0xa5, count: 592)
                )
                let damaged = directory + "/damaged.sqlite"
                try content.write(to: URL(fileURLWithPath: damaged))
                do {
                    let store = try SQLiteAccountStore(path: damaged)
                    // Whatever is read back, it is an account, nothing, or a typed error: never a trap.
                    for index in 0..<40 {
                        do {
                            _ = try await store.read { tx in
                                let account = try tx.account(username: "person-\(index)")
                                return try account.map { try tx.passkeys(of: $0.id) }
                            }
                        } catch is StoreError {}
                    }
                    do {
                        try await store.integrityCheck()
                    } catch let error as StoreError where error.code == .damaged {
                        findings += 1
                    }
                    try? await store.close()
                } catch is StoreError {
                    findings += 1
                }
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: damaged + suffix) }
            }
            #expect(findings > 0)
        }
    }

    @Test func `a row that breaks the schema's promises is damage`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let account = try Person.account("alice")
        let passkey = Person.passkey(of: account)
        try await store.write { tx in
            try tx.insert(account)
            try tx.insert(passkey)
        }
        for change in ["transports = 'usb'", "transports = 'usb,\\'", "sign_count = 4294967296"] {
            try await store.onWriter { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON; UPDATE passkey SET \(change)")
            }
            await #expect(throws: StoreError(.damaged)) {
                try await store.read { try $0.passkey(credentialID: passkey.record.id) }
            }
            try await store.onWriter { try $0.execute(sql: "UPDATE passkey SET transports = '', sign_count = 0") }
        }
        try await store.onWriter { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM account; PRAGMA foreign_keys = ON")
        }
        await #expect(throws: StoreError(.damaged)) { try await store.integrityCheck() }
        try await store.close()
    }

    @Test func `a full disk refuses what does not fit and keeps what was there`() async throws {
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            try await store.write { try $0.insertSecret(named: "before", [1]) }
            try await store.onWriter { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            let large = [UInt8](repeating: 7, count: 100_000)
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    try tx.insertSecret(named: "small", [2])
                    try tx.insertSecret(named: "large", large)
                }
            }
            #expect(error?.code == .unavailable)
            #expect(error?.detail.contains("full") == true)
            // A closure that overlooks it gets nothing committed either.
            await #expect(throws: StoreError(.unavailable)) {
                try await store.write { tx in
                    try tx.insertSecret(named: "small", [2])
                    _ = try? tx.insertSecret(named: "large", large)
                    _ = try? tx.insertSecret(named: "after", [3])
                }
            }
            let found = try await store.read { tx in
                try ["before", "small", "large", "after"].map { try tx.secret(named: $0) }
            }
            #expect(found == [[1], nil, nil, nil])
            try await store.onWriter { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            #expect(try await store.write { try $0.insertSecret(named: "large", large) } == large)
            try await store.integrityCheck()
            try await store.close()
        }
    }

    @Test func `of those that share a commit, only the one that does not fit fails`() async throws {
        struct Stop: Error {}
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            try await store.onWriter { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 10)")
            }
            let failed = await withTaskGroup(of: (Int, (any Error)?).self) { group in
                for index in 0..<100 {
                    group.addTask {
                        do {
                            try await store.write { tx in
                                let count = index % 20 == 7 ? 100_000 : 10
                                try tx.insertSecret(named: "\(index)", [UInt8](repeating: 7, count: count))
                                if index % 20 == 9 { throw Stop() }
                            }
                            return (index, nil)
                        } catch {
                            return (index, error)
                        }
                    }
                }
                return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
            }
            #expect(failed.filter { $0.value is StoreError }.keys.sorted() == [7, 27, 47, 67, 87])
            #expect(failed.filter { $0.value is Stop }.keys.sorted() == [9, 29, 49, 69, 89])
            let kept = try await store.read { tx in
                try (0..<100).filter { try tx.secret(named: "\($0)") != nil }
            }
            #expect(kept == (0..<100).filter { failed[$0] == nil })
            #expect(kept.count == 90)
            try await store.integrityCheck()
            try await store.close()
        }
    }

    @Test func `errors do not repeat what was stored`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        try await store.onWriter { try $0.execute(sql: "DROP TABLE secret") }
        let error = await #expect(throws: StoreError.self) {
            try await store.write { try $0.insertSecret(named: "hush-name", [UInt8]("hush".utf8)) }
        }
        #expect(error?.code == .unavailable)
        #expect(!String(describing: error).contains("hush"))
        try await store.close()
    }
}
