import Glibc
import Testing
import WardWebAuthn

@Suite struct `A transaction's body on the calling thread` {
    @Test func `gives its result, or its error`() throws {
        struct Stop: Error {}
        #expect(try runSynchronously({ $0 + 1 }, with: 1) == 2)
        #expect(throws: Stop.self) { try runSynchronously({ (_: Int) in throw Stop() }, with: 1) }
    }

    /// Without the comparison of threads, one of 20,000 such bodies was at its end before the caller looked.
    ///
    /// A body that is woken before it sleeps stays in its thread, so it has not waited.
    @Test func `is refused if it goes on in another thread, however soon`() {
        var refused = 0
        for _ in 0..<20_000 {
            do {
                let thread = try runSynchronously(
                    { _ in
                        await Task.yield()
                        return current
                    },
                    with: 1
                )
                #expect(thread == current)
            } catch {
                #expect(error is SuspendedTransactionError)
                refused += 1
            }
        }
        #expect(refused > 0)
    }
}

private var current: UInt { UInt(pthread_self()) }
