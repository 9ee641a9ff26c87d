import Foundation
import GRDB
import Testing
import WardSQLite
import WardSyncRecords
import WardSyncStoreSQLite
import WardTesting

@Suite struct `Backup and restore of the sync server's database` {
    /// A database with two vaults, a session and an invitation, and a backup of it.
    private func begin(_ folder: String) async throws -> (path: String, backup: String) {
        let (path, backup) = (folder + "/sync.sqlite", folder + "/backup")
        let store = try SQLiteSyncStore(path: path)
        try await store.begin(1, SyncSample.chain(1, 3, blobs: 5), keys: [SyncSample.key(1)])
        try await store.begin(2, SyncSample.chain(2, 2))
        try await store.open(SyncSample.session(7, of: 1), limit: 4)
        let contents = try SyncDatabaseState.backUp(path, to: backup, replacing: false)
        #expect(contents.vaults == 2 && contents.entries == 5)
        _ = try await store.append(SyncBatch(head: 2, records: [SyncSample.record(3, 1)]), to: SyncSample.vaultID(2))
        try await store.close()
        return (path, backup)
    }

    @Test func `after a restore each vault has a new order, and all sessions have ended`() async throws {
        try await withFolder { folder in
            let (path, backup) = try await begin(folder)
            let done = try DatabaseRestore<SyncDatabaseState>(of: path, from: backup).finish()
            #expect(done.contents.vaults == 2 && done.contents.entries == 5)
            let store = try SQLiteSyncStore(path: path)
            var orders: Set<[UInt8]> = []
            for (number, head) in [(UInt8(1), Int64(3)), (2, 2)] {
                let vault = try #require(try await store.vault(SyncSample.vaultID(number)))
                #expect(vault.head == head && vault.order != SyncSample.vault(number).order)
                #expect(vault.order.count == SyncVault.orderLength)
                orders.insert(vault.order)
            }
            #expect(orders.count == 2)
            #expect(try await store.visit(SyncSample.token(7), at: 1) == nil)
            #expect(try await store.key(of: SyncSample.subject(1), in: SyncSample.vaultID(1)) != nil)
            try await store.close()
            // What was there is there under its other name, with its orders, and so is the backup.
            for (file, entries) in [(try #require(done.kept), 6), (backup, 5)] {
                #expect(try SyncDatabaseState.check(file).entries == entries)
                let kept = try SQLiteSyncStore(path: file)
                #expect(try await kept.vault(SyncSample.vaultID(1))?.order == SyncSample.vault(1).order)
                try await kept.close()
            }
        }
    }

    @Test func `a restore without a database begins new orders too`() async throws {
        try await withFolder { folder in
            let (_, backup) = try await begin(folder)
            let path = folder + "/elsewhere.sqlite"
            #expect(try DatabaseRestore<SyncDatabaseState>(of: path, from: backup).finish().kept == nil)
            let store = try SQLiteSyncStore(path: path)
            #expect(try await store.vault(SyncSample.vaultID(1))?.order != SyncSample.vault(1).order)
            try await store.close()
        }
    }

    @Test func `a database that a service uses is not replaced, and one that is checked is not opened`() async throws {
        try await withFolder { folder in
            let (path, backup) = try await begin(folder)
            do {
                // The lock goes with the store.
                let store = try SQLiteSyncStore(path: path)
                #expect(throws: MaintenanceError.self) {
                    _ = try DatabaseRestore<SyncDatabaseState>(of: path, from: backup)
                }
                try await store.close()
            }
            do {
                let restore = try DatabaseRestore<SyncDatabaseState>(of: path, from: backup)
                withExtendedLifetime(restore) {
                    _ = #expect(throws: SyncStoreError(.unavailable)) { try SQLiteSyncStore(path: path) }
                }
            }
            // The restore was not finished, so nothing is left of it.
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            // SQLite keeps a file of its own beside the database.
            #expect(files.filter { !$0.hasSuffix("-shm") } == ["backup", "sync.sqlite"], "\(files)")
            #expect(try SyncDatabaseState.check(path).entries == 6)
        }
    }

    @Test func `a file of something else is no backup`() async throws {
        try await withFolder { folder in
            let (path, _) = try await begin(folder)
            let other = folder + "/other.sqlite"
            let queue = try DatabaseQueue(path: other)
            try await queue.write { try $0.execute(sql: "CREATE TABLE vault (entry_order); CREATE TABLE session (id)") }
            try queue.close()
            #expect(throws: DatabaseFailure(.unavailable, detail: "")) {
                _ = try DatabaseRestore<SyncDatabaseState>(of: path, from: other)
            }
            #expect(try SyncDatabaseState.check(path).entries == 6)
        }
    }

    @Test func `a service whose file was replaced is not ready`() async throws {
        try await withFolder { folder in
            let (path, backup) = try await begin(folder)
            let store = try SQLiteSyncStore(path: path)
            try await store.probe()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: backup, toPath: path)
            await #expect(throws: SyncStoreError(.unavailable)) { try await store.probe() }
            try await store.close()
        }
    }
}
