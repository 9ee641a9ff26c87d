import Testing
import WardWebAuthn

@Suite struct `A transaction's body on the calling thread` {
    @Test func `gives its result, or its error`() throws {
        struct Stop: Error {}
        #expect(try runSynchronously({ $0 + 1 }, with: 1) == 2)
        #expect(throws: Stop.self) { try runSynchronously({ (_: Int) in throw Stop() }, with: 1) }
    }

    /// Without the comparison of threads, one of 20,000 such bodies was at its end before the caller looked.
    @Test func `is refused if it waits, however soon it goes on`() {
        for _ in 0..<20_000 {
            #expect(throws: SuspendedTransactionError()) { try runSynchronously({ _ in await Task.yield() }, with: 1) }
        }
    }
}
