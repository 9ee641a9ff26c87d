package import NIOCore

/// How slowly a client may read what it is sent: the rule for bodies that arrive, for answers that leave.
///
/// Time passes only while something waits for the client. It needs no channel and no clock.
package struct ReadingPace: Sendable {
    private let patience: TimeAmount
    private let rate: Int64
    /// How long the client may still take nothing.
    private var left: TimeAmount
    /// The bytes that were written and that the client has not taken.
    private var waiting = 0
    private var since = NIODeadline.distantPast

    /// - Parameters:
    ///   - patience: How long a client may take nothing.
    ///   - rate: How many bytes that it takes extend that by a second.
    package init(patience: Duration, rate: Int) {
        self.patience = TimeAmount(patience)
        self.rate = Int64(max(1, rate))
        left = TimeAmount(patience)
    }

    /// When the client is too slow, unless it takes something before that.
    package var deadline: NIODeadline { waiting > 0 ? since + left : .distantFuture }

    /// Another answer begins.
    ///
    /// While the client has not taken the one before, it gains nothing.
    package mutating func begin() {
        if waiting == 0 { left = patience }
    }

    /// So many bytes wait for the client.
    package mutating func written(_ count: Int, at now: NIODeadline) {
        if waiting == 0 { since = now }
        waiting += count
    }

    /// The client has taken so many bytes.
    package mutating func taken(_ count: Int, at now: NIODeadline) {
        let gained = TimeAmount.nanoseconds(Int64(count) * 1_000_000_000 / rate)
        // Nobody gains time to be silent by reading fast before.
        left = min(left - (now - since) + gained, patience)
        since = now
        waiting -= count
    }
}
