/// A flag.
///
/// Tasks can wait until it is set.
final class StopSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func signal() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}
