import Dispatch
import GRDB
import Synchronization
import Testing
import WardAccounts
import WardStoreSQLite

@Suite struct `SQLite writers that wait at the same time` {
    private struct Stop: Error {}

    @Test func `share one commit`() async throws {
        let (outcomes, commits) = try await atOnce(20) { index, tx in
            try tx.insertSecret(named: "\(index)", [UInt8(index)])
            return try (0..<20).count { try tx.secret(named: "\($0)") != nil }
        }
        // Each saw what those before it wrote, so they did run one after the other.
        let counts = try outcomes.values.map { try $0.get() }
        #expect(counts.sorted() == Array(1...20))
        #expect(commits == 1)
    }

    @Test func `are rolled back alone`() async throws {
        let (outcomes, commits) = try await atOnce(20) { index, tx in
            try tx.insertSecret(named: "\(index)", [1])
            if index.isMultiple(of: 3) { throw Stop() }
            return try (0..<20).count { try $0.isMultiple(of: 3) && tx.secret(named: "\($0)") != nil }
        }
        for (index, outcome) in outcomes {
            if index.isMultiple(of: 3) {
                #expect(throws: Stop.self) { try outcome.get() }
            } else {
                #expect(try outcome.get() == 0)
            }
        }
        #expect(commits == 1)
    }

    @Test func `may be refused alone`() async throws {
        let (outcomes, commits) = try await atOnce(20) { index, tx in
            try tx.insert(try Person.account(index.isMultiple(of: 2) ? "even" : "person-\(index)"))
            return index
        }
        #expect(outcomes.count { (try? $0.value.get()) != nil } == 11)
        for case .failure(let error) in outcomes.values {
            #expect(error as? StoreError == StoreError(.usernameTaken))
        }
        #expect(commits == 1)
    }

    @Test func `are run again one by one when one of them meets a failure of the store`() async throws {
        let runs = Mutex(0)
        let (outcomes, commits) = try await atOnce(10) { index, tx in
            runs.withLock { $0 += 1 }
            try tx.insertSecret(named: "\(index)", [1])
            if index == 4 { throw StoreError(.unavailable, detail: "as if the disk had failed") }
            return try (0..<10).count { try tx.secret(named: "\($0)") != nil }
        }
        #expect(outcomes.count { (try? $0.value.get()) != nil } == 9)
        #expect(commits == 9)
        #expect(runs.withLock { $0 } > 10)
    }

    /// Lets closures pile up behind a busy writer; how each ended, and how many commits there were.
    private func atOnce(
        _ count: Int,
        _ body: @escaping @Sendable (Int, SQLiteTransaction) throws -> Int
    ) async throws -> (outcomes: [Int: Result<Int, any Error>], commits: Int) {
        let store = try SQLiteAccountStore.inMemory()
        let commits = CommitCounter()
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        try await store.onWriter { $0.add(transactionObserver: commits, extent: .databaseLifetime) }
        async let blocked: Void = store.onWriter { _ in
            turn.finish()
            mayGoOn.wait()
        }
        for await _ in turns {}
        let outcomes = await withTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
            for index in 0..<count {
                group.addTask {
                    do {
                        return (index, .success(try await store.write { try body(index, $0) }))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while store.waitingWrites < count { await Task.yield() }
            mayGoOn.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await blocked
        try await store.integrityCheck()
        try await store.close()
        return (outcomes, commits.count)
    }
}

/// Counts the commits of a connection.
private final class CommitCounter: TransactionObserver, Sendable {
    private let commits = Mutex(0)

    var count: Int { commits.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits.withLock { $0 += 1 } }
    func databaseDidRollback(_ db: Database) {}
}
