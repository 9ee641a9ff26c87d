package import WardAccounts

/// A limit on attempts: how many are allowed, and how long each further one must wait.
///
/// The count is a record in the store. So it survives a restart, and several processes share it.
package enum AttemptLimit: Sendable {
    /// Some attempts in a row are free. After them each attempt waits longer than the one before, up to a maximum. After a day
    /// without attempts the count is reset.
    case backoff(free: Int64)
    /// A number of attempts at once, and then a number per hour.
    case rate(atOnce: Int64, perHour: Int64)
    /// A number of attempts at once, and then that number in each day.
    case perDay(Int64)

    /// The first wait after the free attempts, in seconds.
    package static let firstWait: Int64 = 5
    /// The longest wait, in seconds.
    package static let longestWait: Int64 = 900
    /// The number of seconds without an attempt after which the free attempts are available again.
    package static let memory: Int64 = 86_400

    /// The remaining wait in seconds, or `nil` if an attempt is allowed now.
    package func wait(_ attempts: AttemptCount?, at now: Int64) -> Int64? {
        guard let attempts else { return nil }
        let (count, lastAt) = current(attempts, at: now)
        // If the clock was set back, the wait still does not become longer.
        let passed = max(0, now - lastAt)
        switch self {
        case .backoff(let free):
            guard count >= free else { return nil }
            let wait = min(Self.longestWait, Self.firstWait << min(count - free, 16))
            return passed < wait ? wait - passed : nil
        case .rate(let atOnce, let perHour):
            return Self.wait(count, passed, atOnce: atOnce, perHour, in: 3_600)
        case .perDay(let number): return Self.wait(count, passed, atOnce: number, number, in: 86_400)
        }
    }

    private static func wait(_ count: Int64, _ passed: Int64, atOnce: Int64, _ number: Int64, in period: Int64)
        -> Int64?
    {
        guard count >= atOnce else { return nil }
        return max(1, ((count - atOnce + 1) * period + number - 1) / number - passed)
    }

    /// The tries that count now, without what time has taken off.
    package func count(_ attempts: AttemptCount, at now: Int64) -> Int64 { current(attempts, at: now).count }

    /// The count plus one attempt.
    package func adding(to attempts: AttemptCount?, _ key: [UInt8], at now: Int64) -> AttemptCount {
        guard let attempts else { return record(key, 1, now) }
        let (count, lastAt) = current(attempts, at: now)
        if case .backoff = self { return record(key, count + 1, now) }
        return record(key, count + 1, count == 0 ? now : lastAt)
    }

    /// The count minus one attempt, or `nil` if none is left.
    package func removing(from attempts: AttemptCount, at now: Int64) -> AttemptCount? {
        let (count, lastAt) = current(attempts, at: now)
        return count > 1 ? record(attempts.key, count - 1, lastAt) : nil
    }

    /// The count and its time, after the time that has passed was subtracted.
    private func current(_ attempts: AttemptCount, at now: Int64) -> (count: Int64, lastAt: Int64) {
        // A record with a time in the future, or from another version, must not cause a trap here.
        let count = min(max(0, attempts.count), Self.most)
        let lastAt = min(max(attempts.lastAt, now - Self.longest), now)
        let passed = now - lastAt
        switch self {
        case .backoff: return passed >= Self.memory ? (0, lastAt) : (count, lastAt)
        case .rate(_, let perHour): return Self.current(count, lastAt, perHour, in: 3_600, at: now)
        case .perDay(let number): return Self.current(count, lastAt, number, in: 86_400, at: now)
        }
    }

    private static func current(
        _ count: Int64,
        _ lastAt: Int64,
        _ number: Int64,
        in period: Int64,
        at now: Int64
    ) -> (count: Int64, lastAt: Int64) {
        let gone = (now - lastAt) * number / period
        guard gone < count else { return (0, now) }
        return (count - gone, lastAt + gone * period / number)
    }

    private func record(_ key: [UInt8], _ count: Int64, _ lastAt: Int64) -> AttemptCount {
        let end =
            switch self {
            case .backoff: Self.memory
            case .rate(_, let perHour): count * 3_600 / perHour + 1
            case .perDay(let number): count * 86_400 / number + 1
            }
        return AttemptCount(key: key, count: min(count, Self.most), lastAt: lastAt, expiresAt: lastAt + end)
    }

    /// The largest count that is used.
    ///
    /// Larger counts have the same effect.
    private static let most: Int64 = 1_000_000
    /// The longest time that is used, in seconds.
    ///
    /// Longer times have the same effect.
    private static let longest: Int64 = 400 * 86_400
}
