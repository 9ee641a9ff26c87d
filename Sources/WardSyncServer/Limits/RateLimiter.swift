import Synchronization

/// Counts what each client did, in memory: a restart forgets it.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var used: Int64
        var at: Int64
    }

    /// The maximum number of clients that are remembered; beyond it the ones with the most room are forgotten.
    private static var capacity: Int { 20_000 }

    private let rate: Rate
    private let buckets = Mutex<[Key: Bucket]>([:])

    init(_ rate: Rate) { self.rate = rate }

    /// Counts something, if there is room for it.
    ///
    /// - Returns: The number of seconds to wait, or `nil` if it was counted.
    func take(_ count: Int64, by key: Key, at now: Int64) -> Int64? {
        buckets.withLock { buckets in
            // A clock that was set back: the time that passes from now on counts.
            if let bucket = buckets[key], now < bucket.at { buckets[key]?.at = now }
            let used = buckets[key].map { left($0, now) } ?? 0
            guard used + count <= rate.atOnce || used == 0 else {
                let excess = used + count - rate.atOnce
                return max(1, (min(excess, used) + rate.perSecond - 1) / rate.perSecond)
            }
            if buckets.count >= Self.capacity, buckets[key] == nil { shrink(&buckets, now) }
            buckets[key] = Bucket(used: used + count, at: now)
            return nil
        }
    }

    private func left(_ bucket: Bucket, _ now: Int64) -> Int64 {
        // A clock that was set back adds nothing.
        let passed = min(max(0, now - bucket.at), 86_400)
        return max(0, bucket.used - passed * rate.perSecond)
    }

    private func shrink(_ buckets: inout [Key: Bucket], _ now: Int64) {
        buckets = buckets.filter { left($0.value, now) > 0 }
        guard buckets.count >= Self.capacity else { return }
        let kept = buckets.sorted { left($0.value, now) > left($1.value, now) }.prefix(Self.capacity / 2)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
