import Synchronization

/// Uploads that are in memory: how long all of them together can be, and how many of them are of one client.
final class UploadSlots<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var counts: [Key: Int] = [:]
        var bytes = 0
        var bytesOfGroup: [AnyHashable: Int] = [:]
    }

    private let room: Int
    private let limit: Int
    private let share: Int
    private let group: @Sendable (Key) -> any Hashable
    private let state = Mutex(State())

    /// - Parameters:
    ///   - room: The length of all uploads, in bytes.
    ///   - limit: The number of uploads of one client.
    ///   - share: The length of all uploads of one group of clients, in bytes.
    ///   - group: The group of a client.
    init(room: Int, forEach limit: Int, share: Int, of group: @escaping @Sendable (Key) -> any Hashable) {
        self.room = room
        self.limit = limit
        self.share = share
        self.group = group
    }

    /// Makes slots for clients that have no groups.
    ///
    /// - Parameters:
    ///   - room: The length of all uploads, in bytes.
    ///   - limit: The number of uploads of one client.
    convenience init(room: Int, forEach limit: Int) {
        self.init(room: room, forEach: limit, share: room) { $0 }
    }

    /// The number of uploads.
    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }

    /// Runs a closure that takes an upload.
    ///
    /// - Parameters:
    ///   - key: The client.
    ///   - length: How long the upload can be.
    ///   - body: The closure.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``SyncError`` with `busy` if there is no room.
    func run<T>(by key: Key, _ length: Int, _ body: () async throws -> T) async throws -> T {
        let isFree = state.withLock { state in
            let group = AnyHashable(group(key))
            guard length <= room - state.bytes, state.counts[key, default: 0] < limit,
                length <= share - state.bytesOfGroup[group, default: 0]
            else { return false }
            state.counts[key, default: 0] += 1
            state.bytes += length
            state.bytesOfGroup[group, default: 0] += length
            return true
        }
        guard isFree else {
            throw SyncError(.busy, "The service has too much to do. Try again in a moment.", retryAfter: 2)
        }
        defer {
            state.withLock { state in
                let rest = (state.counts[key] ?? 1) - 1
                state.counts[key] = rest > 0 ? rest : nil
                state.bytes -= length
                let group = AnyHashable(group(key))
                let left = (state.bytesOfGroup[group] ?? length) - length
                state.bytesOfGroup[group] = left > 0 ? left : nil
            }
        }
        return try await body()
    }
}
