import Foundation
import Testing
import WardSyncStoreSQLite

@Suite("Readers of a database")
struct ReadersTests {
    @Test("Reads on the calling thread and reads on other threads never wait for each other for good")
    func bothKinds() async {
        await #expect(processExitsWith: .success) {
            // If they do, no task goes on, and only a signal ends the process.
            _ = alarm(60)
            let folder = FileManager.default.temporaryDirectory.appending(path: "ward-readers-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let store = try SQLiteSyncStore(path: folder.path + "/sync.sqlite")
            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        for _ in 0..<20 {
                            _ = try await store.accounts(after: "", limit: 10)
                            _ = try await store.vaults(of: "somebody")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.close()
        }
    }
}
