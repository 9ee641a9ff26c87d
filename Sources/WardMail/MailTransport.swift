/// A way for messages to leave.
package protocol MailTransport: Sendable {
    /// Sends a message, or fails.
    ///
    /// A message that was sent may still be lost or come twice later; a failure may come after the message left.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``MailFailure``.
    func send(_ message: MailMessage) async throws(MailFailure)
}

/// Why a message was not sent.
package struct MailFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the server will never take this message: no later try helps.
    package let isPermanent: Bool
    /// The reason for a log, without addresses and without text of the server.
    package let description: String

    package init(isPermanent: Bool = false, _ description: String) {
        self.isPermanent = isPermanent
        self.description = description
    }
}
