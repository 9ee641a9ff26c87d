/// Rows that wait in the store until they have left the service.
package enum Outbox: String, CaseIterable, Sendable {
    /// Messages to people.
    case mail
    /// Webhooks for the people who run the service.
    case webhook

    /// How long a row can wait, in seconds: three days.
    package static let longestWait: Int64 = 3 * 86_400
    /// The longest time between two tries, in seconds.
    private static let longestPause: Int64 = 3_600

    /// The pause after a failed try, in seconds: 5, then twice as long after each, up to an hour.
    ///
    /// - Parameter attempts: The number of tries, with the failed one.
    /// - Returns: The pause.
    package static func pause(after attempts: Int64) -> Int64 {
        min(longestPause, 5 << min(max(0, attempts - 1), 10))
    }

    /// The rows, for people.
    var noun: String {
        switch self {
        case .mail: "Messages"
        case .webhook: "Webhooks"
        }
    }
}
