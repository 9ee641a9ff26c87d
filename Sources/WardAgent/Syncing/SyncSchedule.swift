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
    }

    let times: Times
    /// When the next sync begins at the latest; `nil` for at once.
    private(set) var next: Instant?
    private(set) var isRunning = false
    /// The number of syncs in a row that failed.
    private var failures = 0
    /// The position of the newest entry when the last sync began, with those that this sync took.
    private var synced: Int64?

    init(_ times: Times = Times()) { self.times = times }

    /// Whether a sync must begin now.
    ///
    /// It is called every second. A change of the vault makes a sync due, unless syncs fail: then only time does.
    func isDue(_ position: Int64, now: Instant) -> Bool {
        guard !isRunning else { return false }
        guard let next, next > now else { return true }
        return failures == 0 && synced != position
    }

    mutating func began(at position: Int64) {
        isRunning = true
        synced = position
    }

    /// A sync ended well.
    mutating func succeeded(taken: Int, now: Instant) {
        isRunning = false
        failures = 0
        next = now.advanced(by: times.interval)
        // What came from the folder need not be written there.
        synced = synced.map { $0 + Int64(taken) }
    }

    mutating func failed(now: Instant) {
        isRunning = false
        failures += 1
        var wait = times.interval
        for _ in 1..<failures where wait < times.longest { wait *= 2 }
        next = now.advanced(by: min(wait, times.longest))
    }

    /// The vault was locked, or sync was switched off or on.
    ///
    /// The next sync begins as soon as that is possible.
    mutating func reset() { self = SyncSchedule(times) }
}
