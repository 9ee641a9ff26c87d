/// Rings when a sync may be due at once: after the vault was unlocked, and after sync was switched.
struct SyncBell: Sendable {
    /// An element for each time, for one reader.
    ///
    /// Those that come while the reader is busy are one.
    let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Rings, and returns at once.
    func ring() { continuation.yield() }
}
