/// Finds out whether the clock went far ahead, so that rows of the audit log are not deleted because of a wrong clock.
///
/// While the service runs, the clock is compared with the time that has passed. At its start the clock is compared with the newest
/// row; a service may well have had no event for some days.
package struct AuditClock: Sendable {
    /// How long no rows are deleted after the clock went ahead: an operator can read the log and mend the clock.
    package static let pause = Duration.seconds(86_400)
    /// The largest step of the clock while the service runs, in seconds.
    private static let largestStep: Int64 = 86_400
    /// The longest time without a row before a start, in seconds.
    private static let longestSilence: Int64 = 7 * 86_400

    /// What a look at the clock says.
    package enum Verdict: Hashable, Sendable {
        /// Old rows may be deleted.
        case trusted
        /// The clock went ahead by so many seconds since the last look. No rows are deleted for a day.
        case ahead(Int64)
        /// The clock went ahead less than a day ago.
        case paused
    }

    private var last: (now: Int64, uptime: Duration)?
    private var pauseEnd: Duration?

    package init() {}

    /// Looks at the clock.
    ///
    /// - Parameters:
    ///   - now: The clock, in seconds since 1970.
    ///   - uptime: The time that has passed, from any beginning: it never jumps.
    ///   - newest: The time of the newest row, if there is one.
    /// - Returns: Whether old rows may be deleted.
    package mutating func look(_ now: Int64, uptime: Duration, newest: Int64?) -> Verdict {
        let limit = last == nil ? Self.longestSilence : Self.largestStep
        let expected = last.map { Self.sum($0.now, (uptime - $0.uptime).components.seconds) } ?? newest ?? now
        last = (now, uptime)
        let (ahead, overflows) = now.subtractingReportingOverflow(expected)
        if overflows ? now > 0 : ahead > limit {
            pauseEnd = uptime + Self.pause
            return .ahead(overflows ? .max : ahead)
        }
        guard let pauseEnd, uptime < pauseEnd else { return .trusted }
        return .paused
    }

    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? (second < 0 ? .min : .max) : sum
    }
}
