internal import Foundation

/// Detects that the machine slept: one kernel clock runs during sleep, the other does not.
struct SuspendClock {
    private var gap: Int64

    init() { gap = Self.measure() }

    /// Whether the machine slept since the last call.
    mutating func hasSlept() -> Bool {
        let now = Self.measure()
        defer { gap = now }
        return now - gap > 1
    }

    /// The difference between the two clocks in seconds.
    private static func measure() -> Int64 { seconds(CLOCK_BOOTTIME) - seconds(CLOCK_MONOTONIC) }

    private static func seconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) + (time.tv_nsec >= 500_000_000 ? 1 : 0)
    }
}
