import Testing
import WardTesting

@Suite struct `Memory store` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store`(check: AccountStoreSuite.Check) async throws {
        try await check.run(on: MemoryAccountStore())
    }
}

@Suite struct `A store whose every call suspends` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store, on one thread`(check: AccountStoreSuite.Check) async throws {
        try await OneThread.run { try await check.run(on: SuspendingAccountStore()) }
    }

    @Test func `lets others run between two calls of a transaction`() async throws {
        let store = SuspendingAccountStore()
        try await OneThread.run {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await store.write { try await $0.insertSecret(named: "\(index)", [UInt8(index)]) }
                    }
                }
                for try await secret in group { #expect(secret.count == 1) }
            }
        }
        #expect(store.conflictCount > 0)
    }
}
