import Testing
import WardTesting

@Suite struct `Memory store` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store`(check: AccountStoreSuite.Check) async throws {
        try await check.run(on: MemoryAccountStore())
    }
}
