import Synchronization

/// A number of things that may happen at the same time, and how many of them one client may do.
final class Slots<Key: Hashable & Sendable>: Sendable {
    private let count: Int
    private let limit: Int
    private let used = Mutex<[Key: Int]>([:])

    init(_ count: Int, forEach limit: Int) {
        self.count = count
        self.limit = limit
    }

    /// The number of slots in use.
    var inUse: Int { used.withLock { $0.values.reduce(0, +) } }

    /// Runs a closure in a free slot.
    ///
    /// - Throws: ``SyncError`` with `busy` if there is none.
    func run<T>(by key: Key, _ body: () async throws -> T) async throws -> T {
        let isFree = used.withLock { used in
            guard used.values.reduce(0, +) < count, used[key, default: 0] < limit else { return false }
            used[key, default: 0] += 1
            return true
        }
        guard isFree else {
            throw SyncError(.busy, "The service has too much to do. Try again in a moment.", retryAfter: 2)
        }
        defer {
            used.withLock { used in
                let rest = (used[key] ?? 1) - 1
                used[key] = rest > 0 ? rest : nil
            }
        }
        return try await body()
    }
}
