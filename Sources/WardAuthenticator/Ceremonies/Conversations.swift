/// What ``SoftwareAuthenticator/getAssertion(_:in:)`` left for ``SoftwareAuthenticator/getNextAssertion(in:)``.
struct PendingAssertions: Sendable {
    /// The credentials that have not answered yet, the next one first.
    var credentials: [StoredCredential]
    /// What is signed, and the inputs of extensions.
    let order: AssertionOrder
    /// When it is too late, in seconds since 1970.
    var deadline: Int64
}

/// What is remembered between two commands, by channel.
///
/// A channel has one at most, and any other command on it ends it. CTAP 2.3, section 6.3.
struct Conversations: Sendable {
    /// More channels than this are not remembered: the one that has waited longest goes.
    static let limit = 16
    /// How long the next command may take, in seconds.
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
