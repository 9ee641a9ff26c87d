package import NIOCore

/// What one connection may use up before it is cut.
///
/// The relying party's own checks need a body of a few kilobytes at most; everything beyond is an error or an attack.
package struct ConnectionLimits: Sendable {
    /// Bytes of the request line and all header fields together.
    package var headBytes = 16 * 1024
    /// Number of header fields.
    package var headerFields = 100
    /// Bytes of a request's body.
    package var bodyBytes = 64 * 1024
    /// From the connection, or from the end of the last answer, until the next request's head is there.
    ///
    /// Single bytes do not extend it: a head that trickles in is cut like silence.
    package var headDeadline = TimeAmount.seconds(30)
    /// From a request's head until its body is there.
    package var bodyDeadline = TimeAmount.seconds(20)
    /// From the end of a request until the client has taken its whole answer.
    package var answerDeadline = TimeAmount.seconds(60)
    /// How long a refused client may go on sending before the connection is reset, so that it reads the refusal.
    package var lingering = TimeAmount.seconds(2)
    /// Connections open at once; further ones wait in the system's queue.
    package var connections = 768

    /// The limits the service runs with.
    package static let standard = ConnectionLimits()

    package init() {}
}
