/// Decides when a sync begins.
///
/// It reads no clock and no vault: its events bring the time, and the position of the newest entry of the vault.
struct SyncSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The times between syncs.
    struct Times: Sendable {
        /// After a sync, if the vault does not change.
        var interval = Duration.seconds(15)
        /// After errors, at most.
        var longest = Duration.seconds(15 * 60)
        /// After the first error; it doubles with each one.
        var retry = Duration.seconds(15)

        /// A server tells when there is something new, so a sync by time only makes up for what was lost on the way.
        static let server = Self(interval: .seconds(15 * 60), retry: .seconds(1))
    }

    let times: Times
    /// When the next sync begins at the latest; `nil` for at once.
    private(set) var next: Instant?
    private(set) var isRunning = false
    /// The number of syncs in a row that failed.
    private(set) var failures = 0
    /// The position of the newest entry when the last sync began, with those that this sync took.
    private var synced: Int64?
    /// Whether something became new while a sync ran.
    private var isWoken = false

    init(_ times: Times = Times()) { self.times = times }

    /// Whether a sync must begin now.
    ///
    /// It is called every second. A change of the vault makes a sync due, unless syncs fail: then only time does.
    func isDue(_ position: Int64, now: Instant) -> Bool {
        guard !isRunning else { return false }
        guard let next, next > now else { return true }
        return hasChanged(position)
    }

    /// Whether the vault has more entries than after the last sync, and that sync did not fail.
    func hasChanged(_ position: Int64) -> Bool {
        !isRunning && failures == 0 && synced.map { $0 < position } ?? true
    }

    mutating func began(at position: Int64) {
        isRunning = true
        isWoken = false
        synced = position
    }

    /// A sync ended well.
    mutating func succeeded(taken: Int, now: Instant) {
        isRunning = false
        failures = 0
        next = isWoken ? nil : now.advanced(by: times.interval)
        // What came from there need not be written there.
        synced = synced.map { $0 + Int64(taken) }
    }

    /// A sync failed.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - least: The time for which the other side asked.
    ///   - jitter: From 0 to 1, so that the devices of a server that was away do not come back all at once.
    mutating func failed(now: Instant, least: Duration = .zero, jitter: Double = 0) {
        isRunning = false
        failures += 1
        next = now.advanced(by: max(least, wait(after: failures, jitter: jitter)))
    }

    /// How long to wait after a number of failures in a row: with all of the jitter half as long again.
    func wait(after failures: Int, jitter: Double) -> Duration {
        var wait = times.retry
        for _ in 1..<max(1, min(failures, 32)) where wait < times.longest { wait *= 2 }
        return min(wait + wait * (jitter / 2), times.longest)
    }

    /// There is something new on the other side.
    mutating func wake() {
        isWoken = true
        if failures == 0 { next = nil }
    }

    /// The vault was locked, or sync was switched off or on.
    ///
    /// The next sync begins as soon as that is possible.
    mutating func reset() { self = SyncSchedule(times) }
}
