import Foundation
import GRDB
import Testing
import WardAccounts
import WardStoreSQLite
import WardTesting

@Suite struct `SQLite store` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store, in a file`(check: AccountStoreSuite.Check) async throws {
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            try await check.run(on: store)
            try await store.integrityCheck()
            try await store.close()
        }
    }

    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store, in memory`(check: AccountStoreSuite.Check) async throws {
        let store = try SQLiteAccountStore.inMemory()
        try await check.run(on: store)
        try await store.integrityCheck()
        try await store.close()
    }

    @Test func `every commit waits for the disk`() async throws {
        try await withDirectory { directory in
            for _ in 0..<2 {
                let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
                // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
                #expect(try await store.pragma("synchronous") == "2")
                #expect(try await store.pragma("journal_mode") == "wal")
                #expect(try await store.pragma("foreign_keys") == "1")
                #expect(try await store.pragma("busy_timeout") == "500")
                try await store.write { try $0.insertSecret(named: "key", [1]) }
                #expect(try await store.pragma("synchronous") == "2")
                try await store.close()
            }
        }
    }

    @Test func `what was written is there after opening again`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let account = try Person.account("alice")
            let first = try SQLiteAccountStore(path: path)
            try await first.write { tx in
                try tx.insert(account)
                try tx.insertSecret(named: "key", [1, 2, 3])
            }
            try await first.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["ward.sqlite"])

            let second = try SQLiteAccountStore(path: path)
            let found = try await second.read { (try $0.account(username: "alice"), try $0.secret(named: "key")) }
            #expect(found.0 == account)
            #expect(found.1 == [1, 2, 3])
            try await second.integrityCheck()
            try await second.close()
        }
    }

    @Test func `what was committed is there although the file was never closed`() async throws {
        try await withDirectory { directory in
            let first = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            let account = try Person.account("alice")
            try await first.write { try $0.insert(account) }
            // What a machine that lost power at this moment would find on its disk.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: directory + "/ward.sqlite" + suffix,
                    toPath: directory + "/copy.sqlite" + suffix
                )
            }
            let second = try SQLiteAccountStore(path: directory + "/copy.sqlite")
            #expect(try await second.read { try $0.account(username: "alice") } == account)
            try await second.integrityCheck()
            try await second.close()
            try await first.close()
        }
    }

    @Test func `two stores on one file see each other's work`() async throws {
        try await withDirectory { directory in
            let stores = try (0..<2).map { _ in try SQLiteAccountStore(path: directory + "/ward.sqlite") }
            try await stores[0].write { try $0.insert(CeremonyRecord(id: [1], payload: [7], expiresAt: 0)) }
            let results = await withTaskGroup(of: CeremonyRecord??.self) { group in
                for index in 0..<20 {
                    group.addTask { try? await stores[index % 2].write { try $0.takeCeremony(id: [1]) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0 == nil } == 0)
            #expect(results.compactMap { $0 ?? nil }.map(\.payload) == [[7]])
            for store in stores { try await store.close() }
        }
    }

    @Test func `a new database can be opened by its owner alone`() async throws {
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            try await store.write { try $0.insertSecret(named: "key", [1]) }
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: directory + "/ward.sqlite" + suffix
                )
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
            }
            try await store.close()
        }
    }

    @Test func `only the hash of a session's token reaches the file`() async throws {
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            let account = try Person.account("alice")
            let token = SessionToken.random { count in (0..<count).map { UInt8(0x41 + $0 % 26) } }
            try await store.write { tx in
                try tx.insert(account)
                try tx.insert(Person.session(of: account, token: token))
            }
            try await store.close()
            let file = try Data(contentsOf: URL(fileURLWithPath: directory + "/ward.sqlite"))
            #expect(file.range(of: Data(token.hash)) != nil)
            #expect(file.range(of: Data(token.text.utf8)) == nil)
            #expect(file.range(of: Data("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF".utf8)) == nil)
        }
    }

    @Test(arguments: [true, false])
    func `a closure that waits for something else is refused, and finds its transaction over`(
        isWriting: Bool
    ) async throws {
        let store = try SQLiteAccountStore.inMemory()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let body: @Sendable (SQLiteTransaction) async throws -> Void = { tx in
            if isWriting { try tx.insertSecret(named: "key", [1]) }
            try await Task.sleep(for: .milliseconds(100))
            let late = Result { try tx.secret(named: "key") }
            if case .failure(let error) = late { end.yield(error as? StoreError == StoreError(.unavailable)) }
            end.finish()
        }
        await #expect(throws: StoreError(.unavailable)) {
            if isWriting { try await store.write(body) } else { try await store.read(body) }
        }
        var outcomes: [Bool] = []
        for await outcome in ends { outcomes.append(outcome) }
        #expect(outcomes == [true])
        #expect(try await store.read { try $0.secret(named: "key") } == nil)
        #expect(try await store.write { try $0.insertSecret(named: "key", [2]) } == [2])
        try await store.close()
    }

    @Test func `a closed store refuses, and closes twice`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        try await store.close()
        try await store.close()
        await #expect(throws: StoreError(.unavailable)) { try await store.read { try $0.secret(named: "key") } }
        await #expect(throws: StoreError(.unavailable)) { try await store.write { try $0.secret(named: "key") } }
        await #expect(throws: StoreError(.unavailable)) { try await store.integrityCheck() }
    }

    @Test func `closing waits for what was begun`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let store = try SQLiteAccountStore(path: path)
            let written = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let secret = try? await store.write { try $0.insertSecret(named: "\(index)", [1]) }
                        return secret != nil
                    }
                }
                group.addTask {
                    await #expect(throws: Never.self) { try await store.close() }
                    return false
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            let again = try SQLiteAccountStore(path: path)
            let kept = try await again.read { tx in
                try (0..<200).count { try tx.secret(named: "\($0)") != nil }
            }
            #expect(kept == written)
            try await again.close()
        }
    }

    @Test func `a task cancelled before its turn writes nothing, one that has begun is finished`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let before = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await store.write { try $0.insertSecret(named: "before", [1]) }
        }
        await #expect(throws: CancellationError.self) { try await before.value }
        let (handles, handle) = AsyncStream<Task<[UInt8], any Error>>.makeStream()
        let during = Task {
            for await own in handles {
                return try await store.write { tx in
                    own.cancel()
                    return try tx.insertSecret(named: "during", [2])
                }
            }
            return []
        }
        handle.yield(during)
        #expect(try await during.value == [2])
        let found = try await store.read { (try $0.secret(named: "before"), try $0.secret(named: "during")) }
        #expect(found.0 == nil)
        #expect(found.1 == [2])
        try await store.close()
    }
}
