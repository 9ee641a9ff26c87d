/// Rows that wait in the store until they have left the service.
package enum Outbox: String, CaseIterable, Sendable {
    /// Messages to people.
    case mail
    /// Text messages to people's telephones.
    case text
    /// Webhooks for the people who run the service.
    case webhook

    /// The rows, for people.
    var noun: String {
        switch self {
        case .mail: "Messages"
        case .text: "Text messages"
        case .webhook: "Webhooks"
        }
    }
}
