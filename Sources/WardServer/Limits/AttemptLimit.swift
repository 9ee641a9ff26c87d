package import WardAccounts

/// How many tries something allows, and how long each further one waits.
///
/// The count is a record of the store, so a restart and a second process change nothing.
package enum AttemptLimit: Sendable {
    /// Some tries in a row are free. Then each waits longer than the one before, up to a longest wait. A quiet day resets it.
    case backoff(free: Int64)
    /// So many tries at once, and then so many an hour.
    case rate(atOnce: Int64, perHour: Int64)

    /// The first wait after the free tries, in seconds.
    package static let firstWait: Int64 = 5
    /// The longest wait, in seconds.
    package static let longestWait: Int64 = 900
    /// After this many seconds without a try the free tries are there again.
    package static let memory: Int64 = 86_400

    /// The remaining wait in seconds, or `nil` if a try may begin.
    package func wait(_ attempts: AttemptCount?, at now: Int64) -> Int64? {
        guard let attempts else { return nil }
        let (count, lastAt) = current(attempts, at: now)
        // If the clock was set back, the wait does not become longer.
        let passed = max(0, now - lastAt)
        switch self {
        case .backoff(let free):
            guard count >= free else { return nil }
            let wait = min(Self.longestWait, Self.firstWait << min(count - free, 16))
            return passed < wait ? wait - passed : nil
        case .rate(let atOnce, let perHour):
            guard count >= atOnce else { return nil }
            return max(1, ((count - atOnce + 1) * 3_600 + perHour - 1) / perHour - passed)
        }
    }

    /// The count with one try more.
    package func adding(to attempts: AttemptCount?, _ key: [UInt8], at now: Int64) -> AttemptCount {
        guard let attempts else { return record(key, 1, now) }
        let (count, lastAt) = current(attempts, at: now)
        if case .backoff = self { return record(key, count + 1, now) }
        return record(key, count + 1, count == 0 ? now : lastAt)
    }

    /// The count with one try less, or `nil` if none is left.
    package func removing(from attempts: AttemptCount, at now: Int64) -> AttemptCount? {
        let (count, lastAt) = current(attempts, at: now)
        return count > 1 ? record(attempts.key, count - 1, lastAt) : nil
    }

    /// The count and its time, without what time has taken off.
    private func current(_ attempts: AttemptCount, at now: Int64) -> (count: Int64, lastAt: Int64) {
        // A record from the future, or one that another version wrote, must not trap here.
        let count = min(max(0, attempts.count), Self.most)
        let lastAt = min(max(attempts.lastAt, now - Self.longest), now)
        let passed = now - lastAt
        switch self {
        case .backoff: return passed >= Self.memory ? (0, lastAt) : (count, lastAt)
        case .rate(_, let perHour):
            let gone = passed * perHour / 3_600
            guard gone < count else { return (0, now) }
            return (count - gone, lastAt + gone * 3_600 / perHour)
        }
    }

    private func record(_ key: [UInt8], _ count: Int64, _ lastAt: Int64) -> AttemptCount {
        let end =
            switch self {
            case .backoff: Self.memory
            case .rate(_, let perHour): count * 3_600 / perHour + 1
            }
        return AttemptCount(key: key, count: min(count, Self.most), lastAt: lastAt, expiresAt: lastAt + end)
    }

    /// Larger counts make no difference.
    private static let most: Int64 = 1_000_000
    /// Longer times make no difference, in seconds.
    private static let longest: Int64 = 400 * 86_400
}
