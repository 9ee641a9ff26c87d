import Foundation
import GRDB
import Synchronization
import Testing
import WardSyncRecords
import WardSyncStoreSQLite
import WardTesting

@Suite struct `Stores of the sync server` {
    @Test(arguments: SyncStoreSuite.checks)
    func `memory behaves like every store`(check: SyncStoreSuite.Check) async throws {
        try await check.run(on: MemorySyncStore())
    }

    @Test(arguments: SyncStoreSuite.checks)
    func `SQLite behaves like every store, in a file`(check: SyncStoreSuite.Check) async throws {
        try await withFolder { folder in
            let store = try SQLiteSyncStore(path: folder + "/sync.sqlite")
            try await check.run(on: store)
            try await store.close()
        }
    }

    @Test(arguments: SyncStoreSuite.checks)
    func `SQLite behaves like every store, in memory`(check: SyncStoreSuite.Check) async throws {
        let store = try SQLiteSyncStore.inMemory()
        try await check.run(on: store)
        try await store.close()
    }

    @Test func `every commit waits for the disk`() async throws {
        try await withFolder { folder in
            let store = try SQLiteSyncStore(path: folder + "/sync.sqlite")
            for (name, expected) in [("synchronous", "2"), ("journal_mode", "wal"), ("foreign_keys", "1")] {
                let found = try await store.onWriter { try String.fetchOne($0, sql: "PRAGMA \(name)") }
                #expect(found == expected)
            }
            try await store.close()
        }
    }

    @Test func `only the owner reads the file, and everything is there after opening again`() async throws {
        try await withFolder { folder in
            let path = folder + "/sync.sqlite"
            let first = try SQLiteSyncStore(path: path)
            try await first.begin(1, SyncSample.chain(1, 3, blobs: 2), keys: [SyncSample.key(1)])
            try await first.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["sync.sqlite"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let second = try SQLiteSyncStore(path: path)
            #expect(try await second.entries(of: SyncSample.vaultID(1), after: 0, SyncPage(entries: 9)).count == 3)
            try await second.close()
        }
    }

    @Test func `a file of another program is left alone`() async throws {
        try await withFolder { folder in
            let path = folder + "/other.sqlite"
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
            try other.close()
            #expect(throws: SyncStoreError(.unavailable)) { try SQLiteSyncStore(path: path) }
            try Data("this is no database, whatever its name says".utf8).write(to: URL(fileURLWithPath: folder + "/no"))
            #expect(throws: SyncStoreError(.damaged)) { try SQLiteSyncStore(path: folder + "/no") }
            #expect(throws: SyncStoreError(.unavailable)) { try SQLiteSyncStore(path: folder + "/none/x.sqlite") }
        }
    }

    /// A disk that is full: nothing of the upload is there, and the store works again.
    @Test func `a full disk refuses an upload as a whole`() async throws {
        try await withFolder { folder in
            let store = try SQLiteSyncStore(path: folder + "/sync.sqlite")
            try await store.begin(1, SyncSample.chain(1, 1))
            let pages = try await store.onWriter { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 8)")
                return pages
            }
            let large = [SyncSample.record(2, 1), SyncSample.record(3, 1, blob: SyncSample.bytes(1, 300_000))]
            await #expect(throws: SyncStoreError(.unavailable)) {
                _ = try await store.append(SyncBatch(head: 1, records: large), to: SyncSample.vaultID(1))
            }
            #expect(try await store.vault(SyncSample.vaultID(1))?.head == 1)
            try await store.onWriter { try $0.execute(sql: "PRAGMA max_page_count = \(pages * 1_000)") }
            let after = try await store.append(SyncBatch(head: 1, records: large), to: SyncSample.vaultID(1))
            #expect(after.head == 3)
            try await store.close()
        }
    }

    /// The owner would be told of a failure, and would not find the vault when they try again.
    @Test func `a deletion that is on the disk is answered as done, whatever fails after it`() async throws {
        try await withFolder { folder in
            let store = try SQLiteSyncStore(path: folder + "/sync.sqlite")
            try await store.begin(1, SyncSample.chain(1, 3, blobs: 2))
            let refusal = SecondCommitRefusal()
            try await store.onWriter { $0.add(transactionObserver: refusal, extent: .databaseLifetime) }
            #expect(try await store.delete(SyncSample.vaultID(1)))
            #expect(refusal.count == 2)
            #expect(try await store.vault(SyncSample.vaultID(1)) == nil)
            try await store.close()
        }
    }

    @Test func `writes at the same time each get their own answer`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        for number in UInt8(1)...20 { try await store.begin(number) }
        try await withThrowingTaskGroup(of: (UInt8, Int64?).self) { group in
            for number in UInt8(1)...20 {
                group.addTask {
                    // Every third one is refused, and the others are not.
                    let head: Int64 = number.isMultiple(of: 3) ? 7 : 0
                    let batch = SyncBatch(head: head, records: SyncSample.chain(number, 3))
                    return (number, try? await store.append(batch, to: SyncSample.vaultID(number)).head)
                }
            }
            for try await (number, head) in group { #expect(head == (number.isMultiple(of: 3) ? nil : 3)) }
        }
        try await store.close()
    }
}

/// Lets the first commit pass, and no other one.
private final class SecondCommitRefusal: TransactionObserver, Sendable {
    private let commits = Mutex(0)

    /// How often something was to be committed.
    var count: Int { commits.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        commits.withLock { $0 += 1 }
        if count > 1 { throw SyncStoreError(.unavailable) }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

/// Runs a closure with a folder that is gone afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
}
