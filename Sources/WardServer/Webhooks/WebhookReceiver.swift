import Synchronization

/// What the receiver of webhooks asked for: a pause, or an end.
///
/// It is forgotten when the service ends.
final class WebhookReceiver: Sendable {
    private let state = Mutex((quietUntil: Int64.min, isGone: false))

    /// Whether the receiver may get a webhook now.
    func wantsWebhooks(at now: Int64) -> Bool {
        state.withLock { state in
            // A pause that is longer than any comes from a clock that went back.
            let isQuiet = now < state.quietUntil && state.quietUntil - OutboxTries.longestPause <= now
            return !state.isGone && !isQuiet
        }
    }

    /// The receiver wants no webhooks for a while.
    ///
    /// - Parameters:
    ///   - pause: The number of seconds, or `nil` if the receiver said nothing.
    ///   - now: Seconds since 1970.
    /// - Returns: The pause in seconds, at most an hour.
    func asks(for pause: Int64?, at now: Int64) -> Int64 {
        guard let pause else { return 0 }
        let bounded = min(max(0, pause), OutboxTries.longestPause)
        state.withLock { $0.quietUntil = max($0.quietUntil, now + bounded) }
        return bounded
    }

    /// The receiver wants no webhooks any more.
    ///
    /// - Returns: Whether that is new.
    func end() -> Bool {
        state.withLock { state in
            defer { state.isGone = true }
            return !state.isGone
        }
    }
}
