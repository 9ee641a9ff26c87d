/// When the rows of an outbox are tried again, and when they are given up.
package enum OutboxTries {
    /// How long a row can wait, in seconds: three days.
    package static let longestWait: Int64 = 3 * 86_400
    /// The longest time between two tries, in seconds.
    package static let longestPause: Int64 = 3_600

    /// The pause after a failed try, in seconds: 5, then twice as long after each, up to an hour.
    ///
    /// - Parameter attempts: The number of tries, with the failed one.
    /// - Returns: The pause.
    package static func pause(after attempts: Int64) -> Int64 {
        min(longestPause, 5 << min(max(0, attempts - 1), 10))
    }
}
