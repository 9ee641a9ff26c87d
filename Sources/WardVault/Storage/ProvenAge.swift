/// The age of a thing, as the log proves it.
///
/// A clock may be wrong for a day, so the current time alone proves nothing. Days count if the entries in the log show that
/// they passed: between two entries at most three days count, and the longest gap does not count at all. So one jump of the
/// clock has no effect, no matter how large it is.
struct ProvenAge {
    static let day: Int64 = 86_400
    /// The maximum time that one gap between entries can prove.
    private static let longestProof: Int64 = 3 * day

    private let limit: Int64
    private var last: Int64?
    private var sum: Int64 = 0
    private var longest: Int64 = 0

    init(days: Int64) { limit = days * Self.day }

    /// Adds the time of the next entry.
    ///
    /// The first one is the time of the beginning.
    mutating func advance(to time: Int64) {
        guard let last else {
            last = time
            return
        }
        guard time > last else { return }
        let gap = min(time - last, Self.longestProof)
        sum += gap
        longest = max(longest, gap)
        self.last = time
    }

    /// Whether at least this number of days has passed.
    var isProven: Bool { sum - longest >= limit }
}
