/// How much goes into one page or one upload, so that each takes about a second: a person who waits sees how far a sync is.
struct TransferPace {
    /// Into how many parts the largest page and the largest upload are divided: a power of two.
    private(set) var shares = 8

    private static let most = 32
    private static let (short, long) = (Duration.milliseconds(500), Duration.seconds(2))

    /// Notes how long a page or an upload took, from the request to the end of the answer.
    mutating func note(_ time: Duration) {
        if time < Self.short {
            shares = max(1, shares / 2)
        } else if time > Self.long {
            shares = min(Self.most, shares * 2)
        }
    }

    /// The largest number of entries, and of bytes, of the next one.
    ///
    /// - Parameter parts: Into how many parts it is divided at least, because larger ones did not pass.
    /// - Returns: Both; never less than one entry.
    func limit(parts: Int = 1) -> (entries: Int, bytes: Int) {
        let shares = max(shares, parts)
        return (max(1, ServerLimits.entries / shares), ServerLimits.uploadBytes / shares)
    }
}
