/// How much goes into one page or one upload, so that each takes about a second: a person who waits sees how far a sync is.
///
/// Over a way that takes long whatever the amount, smaller ones would only be more: then they stay large.
struct TransferPace {
    /// Into how many parts the largest page and the largest upload are divided: a power of two.
    private(set) var shares = 8
    private var last: (shares: Int, time: Duration)?

    private static let most = 32
    private static let (short, long) = (Duration.milliseconds(500), Duration.seconds(2))
    /// Twice as much takes less than so many times the time: it is the way that takes the time, and not the amount.
    private static let hardlyMore = 1.4

    /// Notes how long a page or an upload took, from the request to the end of the answer.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - isFull: Whether it was as large as it could be: others say nothing about the size.
    mutating func note(_ time: Duration, isFull: Bool) {
        guard isFull else { return }
        let before = last
        last = (shares, time)
        if time < Self.short { return grow() }
        if let before, before.shares != shares {
            let (less, more) = before.shares > shares ? (before.time, time) : (time, before.time)
            if more < less * Self.hardlyMore { return grow() }
        }
        if time > Self.long { shares = min(Self.most, shares * 2) }
    }

    private mutating func grow() { shares = max(1, shares / 2) }

    /// The largest number of entries, and of bytes, of the next one.
    ///
    /// - Parameter parts: Into how many parts it is divided at least, because larger ones did not pass.
    /// - Returns: Both; never less than one entry.
    func limit(parts: Int = 1) -> (entries: Int, bytes: Int) {
        let shares = max(shares, parts)
        return (max(1, ServerLimits.entries / shares), ServerLimits.uploadBytes / shares)
    }
}
