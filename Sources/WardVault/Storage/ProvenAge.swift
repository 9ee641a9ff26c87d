/// For how long something has been, as the log proves it.
///
/// A clock may be wrong for a day, so what it says now proves nothing. Days count when the log shows that they passed: from one
/// entry to the next at most three days each, and the longest gap not at all. One leap of the clock therefore counts for
/// nothing, however far it goes.
struct ProvenAge {
    static let day: Int64 = 86_400
    /// What one gap between entries proves at most.
    private static let longestProof: Int64 = 3 * day

    private let limit: Int64
    private var last: Int64?
    private var sum: Int64 = 0
    private var longest: Int64 = 0

    init(days: Int64) { limit = days * Self.day }

    /// Takes the time of the next entry; the first one is that of the beginning.
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

    /// Whether so many days passed.
    var isProven: Bool { sum - longest >= limit }
}
