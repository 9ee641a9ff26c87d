/// How long a person can show who they are without the passphrase: for 14 days after they typed it, and until 5 tries were wrong.
///
/// It starts with the passphrase not typed, and lives in the agent's memory alone. So a new agent, and therefore a reboot, asks
/// for the passphrase, and no file that somebody deletes or puts back changes the count.
struct VerificationLimit {
    /// Why only the passphrase will do.
    enum Refusal: String, Sendable {
        /// It was not typed since the agent started.
        case notTyped = "not_typed"
        /// It was typed too long ago.
        case tooLongAgo = "too_long_ago"
        /// Something else was tried and wrong too often.
        case tooManyTries = "too_many_tries"
    }

    /// How many wrong tries there are between two passphrases.
    static let tries = 5
    /// How long a passphrase counts.
    static let validity = Duration.seconds(14 * 86_400)

    private var typedAt: ContinuousClock.Instant?
    private(set) var wrong = 0

    /// How many tries are left.
    var left: Int { max(0, Self.tries - wrong) }

    /// Why only the passphrase will do; `nil` where something else does.
    func refusal(at now: ContinuousClock.Instant) -> Refusal? {
        guard let typedAt else { return .notTyped }
        guard wrong < Self.tries else { return .tooManyTries }
        guard typedAt.duration(to: now) < Self.validity else { return .tooLongAgo }
        return nil
    }

    /// The passphrase was right.
    mutating func passphraseWasRight(at now: ContinuousClock.Instant) {
        typedAt = now
        wrong = 0
    }

    /// Counts a try before it is checked, so that several at once have no more tries than one after the other.
    ///
    /// - Returns: Whether there is a try left to use.
    mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        guard refusal(at: now) == nil else { return false }
        wrong += 1
        return true
    }

    /// The try was right: those before it are forgotten.
    mutating func succeeded() { wrong = 0 }

    /// The try came to nothing, and says nothing of the person.
    mutating func takeBack() { wrong = max(0, wrong - 1) }
}
