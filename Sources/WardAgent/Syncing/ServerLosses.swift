internal import WardSync

/// When a server last lost entries, or had to be read from the beginning again.
struct ServerLosses {
    /// A loss is told again only after this time, and until then such a server is asked less and less often.
    private static let isOld = Duration.seconds(86_400)

    private var lastLoss: ContinuousClock.Instant?
    private var lastBeginning: ContinuousClock.Instant?
    /// How often the server had to be read again since then.
    private var beginnings = 0

    /// Notes a sync that ended well.
    ///
    /// - Parameters:
    ///   - report: What it did.
    ///   - now: The time.
    /// - Returns: How often the server had to be read again, if that is a reason for the next sync to wait, or otherwise 0; and the number
    ///   of lost entries that the person is told of.
    mutating func note(_ report: SyncReport, at now: ContinuousClock.Instant) -> (again: Int, told: Int?) {
        func isRecent(_ time: ContinuousClock.Instant?) -> Bool {
            time.map { $0.duration(to: now) < Self.isOld } ?? false
        }
        guard report.hasBegunAnew || report.broughtBack > 0 else { return (0, nil) }
        // A server that loses everything, or names another order, again and again is not read and filled without a pause, also if all is
        // well in between.
        if isRecent(lastBeginning) { beginnings += 1 } else { (lastBeginning, beginnings) = (now, 0) }
        guard report.broughtBack > 0, !isRecent(lastLoss) else { return (beginnings, nil) }
        lastLoss = now
        return (beginnings, report.broughtBack)
    }
}
