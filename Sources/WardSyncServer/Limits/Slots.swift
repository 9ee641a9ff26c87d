import Synchronization

/// A number of things that may happen at the same time.
final class Slots: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) { free = Mutex(count) }

    /// Runs a closure in a free slot.
    ///
    /// - Throws: ``SyncError`` with `busy` if there is none.
    func run<T>(_ body: () async throws -> T) async throws -> T {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        guard isFree else {
            throw SyncError(.busy, "The service has too much to do. Try again in a moment.", retryAfter: 2)
        }
        defer { free.withLock { $0 += 1 } }
        return try await body()
    }
}
