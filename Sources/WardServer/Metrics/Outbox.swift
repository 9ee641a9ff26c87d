/// Rows that wait in the store until they have left the service.
package enum Outbox: String, CaseIterable, Sendable {
    /// Messages to people.
    case mail
    /// Webhooks for the people who run the service.
    case webhook

    /// The rows, for people.
    var noun: String {
        switch self {
        case .mail: "Messages"
        case .webhook: "Webhooks"
        }
    }
}
