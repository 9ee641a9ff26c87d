/// The remaining credentials of ``SoftwareAuthenticator/getAssertion(_:in:)`` for
/// ``SoftwareAuthenticator/getNextAssertion(in:)``.
struct PendingAssertions: Sendable {
    /// The credentials that have not answered yet, the next one first.
    var passkeys: [PasskeyInfo]
    /// The request and its extension inputs.
    let order: AssertionOrder
    /// When the remaining credentials expire, in seconds since 1970.
    var deadline: Int64
}

/// The state that a command leaves for the next command on the same channel.
///
/// A channel has at most one state. A command that does not continue it deletes it. CTAP 2.3, section 6.3.
struct Conversations: Sendable {
    /// The maximum number of channels.
    ///
    /// The oldest state is deleted first.
    static let limit = 16
    /// Time limit for the next command, in seconds.
    static let patience: Int64 = 30

    private var pending: [UInt64: PendingAssertions] = [:]

    mutating func remember(_ assertions: PendingAssertions, on channel: UInt64) {
        pending[channel] = assertions
        guard pending.count > Self.limit else { return }
        let oldest = pending.min { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        if let oldest { pending[oldest.key] = nil }
    }

    mutating func take(from channel: UInt64) -> PendingAssertions? {
        pending.removeValue(forKey: channel)
    }
}
