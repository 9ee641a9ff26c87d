/// The syncs that are in folders, also those for which nobody waits any more.
///
/// A folder on a drive that does not answer holds a sync in a system call, and nothing interrupts that. So no second sync begins in the
/// same folder: however often the vault is locked and opened, only one thread hangs.
///
/// It reads no clock: its events bring the time.
struct FolderVisits: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Visit {
        let folder: String
        /// When the sync reported something that is counted in `reports`, or began.
        var last: Instant
        /// The number of reports of all syncs until then.
        var reports: Int
        /// When the sync must have ended, because nobody waits for it any more.
        var end: Instant?
    }

    /// A sync that reports nothing for longer hangs: it reads for an hour at most, and reports what it writes.
    static let longest = Duration.seconds(4_500)
    /// A sync for which nobody waits any more ends earlier: after the file that it reads.
    static let patience = Duration.seconds(60)

    private var visits: [Int: Visit] = [:]

    /// Whether a sync is in a folder.
    func contains(_ folder: String) -> Bool { visits.values.contains { $0.folder == folder } }

    /// Whether a sync is in a folder that may still end.
    func mustWait(in folder: String, at now: Instant) -> Bool {
        visits.values.contains { $0.folder == folder && now < $0.end ?? $0.last + Self.longest }
    }

    mutating func began(_ number: Int, in folder: String, at now: Instant, reports: Int) {
        visits[number] = Visit(folder: folder, last: now, reports: reports)
    }

    mutating func ended(_ number: Int) { visits[number] = nil }

    /// Nobody waits for a sync any more, and it was told to end.
    ///
    /// - Parameters:
    ///   - number: The sync.
    ///   - end: When it must have ended.
    mutating func left(_ number: Int, until end: Instant) { visits[number]?.end = end }

    /// Looks at a sync, again and again.
    ///
    /// - Parameters:
    ///   - number: The sync.
    ///   - reports: The number of reports so far.
    ///   - now: The time.
    /// - Returns: Whether the sync hangs in its folder.
    mutating func hangs(_ number: Int, reports: Int, at now: Instant) -> Bool {
        guard let visit = visits[number] else { return false }
        if visit.reports != reports {
            visits[number]?.last = now
            visits[number]?.reports = reports
        }
        return visit.reports == reports && visit.last.duration(to: now) > Self.longest
    }
}
