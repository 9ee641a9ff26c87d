/// Limits of one connection; the service closes a connection that exceeds one.
///
/// The relying party needs bodies of a few kilobytes at most; larger ones are errors or attacks.
public struct ConnectionLimits: Sendable {
    /// Maximum size of the request line and all header fields together, in bytes.
    public var headBytes = 16 * 1024
    /// The maximum number of header fields.
    public var headerFields = 100
    /// Maximum size of a request's body, in bytes.
    public var bodyBytes = 64 * 1024
    /// Time limit for the next request's head, from the connection or from the end of the last response.
    ///
    /// Single bytes do not extend the limit: a head that arrives slowly counts like no head.
    public var headDeadline = Duration.seconds(30)
    /// Time limit for a request's body, from the end of its head.
    public var bodyDeadline = Duration.seconds(20)
    /// How many bytes of a body extend its time limit by a second; `nil` if none do.
    ///
    /// With it, a long body can arrive over a slow connection, but not more slowly than this. No pause can be longer than the time
    /// limit itself.
    public var bodyRate: Int?
    /// Time limit for the client to receive the whole response, from the end of the request.
    public var answerDeadline = Duration.seconds(60)
    /// How many bytes of an answer that a client takes give it another second; `nil` if only ``answerDeadline`` limits it.
    ///
    /// With it, a long answer can be read over a slow connection, but not more slowly than this. Only time in which something waits for
    /// the client counts.
    public var answerRate: Int?
    /// How long a client may take nothing of an answer, if there is an ``answerRate``.
    public var answerPatience = Duration.seconds(60)
    /// How long a refused client may continue to send before the connection is reset.
    ///
    /// In this time the client can read the refusal.
    public var lingering = Duration.seconds(2)
    /// How long a body may pause, and the first request of a connection may take to come, while the service is stopping.
    public var stoppingDeadline = Duration.seconds(2)
    /// The maximum number of open connections.
    ///
    /// Further ones wait in the system's queue.
    ///
    /// Before the maximum is reached, idle connections of the client with the most connections are closed.
    ///
    /// The maximum is lower if the process may open fewer files and sockets.
    public var connections = 768

    /// The default limits of the service.
    public static let standard = ConnectionLimits()

    /// Creates the default limits.
    public init() {}
}
