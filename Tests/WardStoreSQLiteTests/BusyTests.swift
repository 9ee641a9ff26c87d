import Dispatch
import GRDB
import Testing
import WardAccounts
import WardStoreSQLite

/// Another process writes for a long time, or too many want to write.
@Suite struct `SQLite that is busy` {
    /// Holds the database as another process does, until the returned closure is called.
    private func hold(_ path: String) throws -> () throws -> Void {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        return {
            try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try other.close()
        }
    }

    private func write(_ count: Int, to store: SQLiteAccountStore) async -> [Result<Void, any Error>] {
        await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for index in 0..<count {
                group.addTask {
                    do {
                        try await store.write { try $0.insertSecret(named: "\(index)", [1]) }
                        return .success(())
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `lets everybody wait, and nobody fails for a lock that goes away in time`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let store = try SQLiteAccountStore(path: path, patience: .seconds(120))
            let release = try hold(path)
            async let outcomes = write(30, to: store)
            // Longer than a single attempt to begin.
            try await Task.sleep(for: .seconds(1.5))
            try release()
            for outcome in await outcomes { #expect(throws: Never.self) { try outcome.get() } }
            try await store.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `tells everybody in time that it is, not one after the other`() async throws {
        try await withDirectory { directory in
            let path = directory + "/ward.sqlite"
            let store = try SQLiteAccountStore(path: path, patience: .milliseconds(300))
            let release = try hold(path)
            for outcome in await write(100, to: store) {
                #expect(throws: StoreError(.busy)) { try outcome.get() }
            }
            #expect(try await store.read { try $0.secret(named: "1") } == nil, "reading goes on")
            try release()
            #expect(try await store.write { try $0.insertSecret(named: "after", [1]) } == [1])
            try await store.close()
        }
    }

    @Test func `refuses at once when more than a thousand wait`() async throws {
        let store = try SQLiteAccountStore.inMemory()
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        async let blocked: Void = store.onWriter { _ in
            turn.finish()
            mayGoOn.wait()
        }
        for await _ in turns {}
        async let outcomes = write(1_024, to: store)
        while store.waitingWrites < 1_024 { await Task.yield() }
        await #expect(throws: StoreError(.busy)) {
            try await store.write { try $0.insertSecret(named: "one too many", [1]) }
        }
        mayGoOn.signal()
        // Those that waited may have waited too long on a slow machine, but none is lost without an answer.
        for outcome in await outcomes {
            do { try outcome.get() } catch { #expect(error as? StoreError == StoreError(.busy)) }
        }
        try await blocked
        #expect(try await store.read { try $0.secret(named: "one too many") } == nil)
        try await store.close()
    }
}

@Suite struct `SQLite that forgets` {
    @Test func `gives the room of deleted rows back to the file system`() async throws {
        try await withDirectory { directory in
            let store = try SQLiteAccountStore(path: directory + "/ward.sqlite")
            #expect(try await store.pragma("auto_vacuum") == "2")
            try await store.write { tx in
                for index in 0..<2_000 {
                    try tx.insert(
                        CeremonyRecord(
                            id: [UInt8(index >> 8), UInt8(index & 0xff)],
                            payload: [UInt8](repeating: 7, count: 1_000),
                            expiresAt: 0
                        )
                    )
                }
            }
            let before = try #require(Int(try await store.pragma("page_count") ?? ""))
            for _ in 0..<5 {
                try await store.write { _ = try $0.deleteExpiredCeremonies(before: 1, limit: 500) }
            }
            let after = try #require(Int(try await store.pragma("page_count") ?? ""))
            #expect(after < before / 2, "\(before) pages, then \(after)")
            try await store.integrityCheck()
            try await store.close()
        }
    }
}
