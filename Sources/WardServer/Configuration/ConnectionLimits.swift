package import NIOCore

/// Limits of one connection; the service closes a connection that exceeds one.
///
/// The relying party needs bodies of a few kilobytes at most; larger ones are errors or attacks.
package struct ConnectionLimits: Sendable {
    /// Maximum size of the request line and all header fields together, in bytes.
    package var headBytes = 16 * 1024
    /// The maximum number of header fields.
    package var headerFields = 100
    /// Maximum size of a request's body, in bytes.
    package var bodyBytes = 64 * 1024
    /// Time limit for the next request's head, from the connection or from the end of the last response.
    ///
    /// Single bytes do not extend the limit: a head that arrives slowly counts like no head.
    package var headDeadline = TimeAmount.seconds(30)
    /// Time limit for a request's body, from the end of its head.
    package var bodyDeadline = TimeAmount.seconds(20)
    /// Time limit for the client to receive the whole response, from the end of the request.
    package var answerDeadline = TimeAmount.seconds(60)
    /// How long a refused client may continue to send before the connection is reset.
    ///
    /// In this time the client can read the refusal.
    package var lingering = TimeAmount.seconds(2)
    /// How long a body may pause while the service is stopping.
    package var stoppingDeadline = TimeAmount.seconds(2)
    /// The maximum number of open connections.
    ///
    /// Further ones wait in the system's queue.
    ///
    /// Before the maximum is reached, idle connections of the client with the most connections are closed: see
    /// ``ConnectionShares``.
    ///
    /// The maximum is lower if the process may open fewer files and sockets.
    package var connections = 768

    /// The default limits of the service.
    package static let standard = ConnectionLimits()

    package init() {}
}
