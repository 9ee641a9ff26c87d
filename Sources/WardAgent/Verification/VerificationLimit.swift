/// The limits for verification without the passphrase: 14 days after the passphrase was typed, and 5 wrong attempts.
///
/// At the start the passphrase is needed. The count is only in the agent's memory. So a new agent, and also a reboot, needs the
/// passphrase first, and changed files have no effect on the count.
struct VerificationLimit {
    /// The reason why the passphrase is needed.
    enum Refusal: String, Sendable {
        /// The passphrase was not typed since the agent started.
        case notTyped = "not_typed"
        /// The passphrase was typed too long ago.
        case tooLongAgo = "too_long_ago"
        /// There were too many wrong attempts with PIN or fingerprint.
        case tooManyTries = "too_many_tries"
    }

    /// The number of wrong attempts after which the passphrase is needed.
    static let tries = 5
    /// How long the other ways work after the passphrase was typed.
    static let validity = Duration.seconds(14 * 86_400)

    private var typedAt: ContinuousClock.Instant?
    private(set) var wrong = 0

    /// The number of attempts that are left.
    var left: Int { max(0, Self.tries - wrong) }

    /// The reason why the passphrase is needed, or `nil` if another way is allowed.
    func refusal(at now: ContinuousClock.Instant) -> Refusal? {
        guard let typedAt else { return .notTyped }
        guard wrong < Self.tries else { return .tooManyTries }
        guard typedAt.duration(to: now) < Self.validity else { return .tooLongAgo }
        return nil
    }

    /// The passphrase was right: resets the limits.
    mutating func passphraseWasRight(at now: ContinuousClock.Instant) {
        typedAt = now
        wrong = 0
    }

    /// Counts an attempt before it is checked, so that attempts at the same time are limited like attempts one after the other.
    ///
    /// - Returns: Whether there is a try left to use.
    mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        guard refusal(at: now) == nil else { return false }
        wrong += 1
        return true
    }

    /// The attempt was right: resets the count of wrong attempts.
    mutating func succeeded() { wrong = 0 }

    /// The attempt had no result: removes it from the count.
    mutating func takeBack() { wrong = max(0, wrong - 1) }
}
