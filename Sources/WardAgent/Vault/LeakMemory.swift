internal import Synchronization
internal import WardPasswords

/// What lists of leaked passwords say about the passwords of the vault.
///
/// The answers are remembered in memory for a day, and forgotten when the vault is locked. On the disk they would show a thief
/// the hashes of the passwords.
final class LeakMemory: Sendable {
    private struct Answer: Sendable {
        let count: Int
        let end: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var answers: [BreachedPasswordHash: Answer] = [:]
        /// The hashes whose first digits were listed for queries.
        var asked: [String: [BreachedPasswordHash]] = [:]
        /// How often everything was forgotten.
        var forgotten = 0
    }

    /// How long an answer is remembered.
    private static let rememberedFor = Duration.seconds(86_400)

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Forgets everything.
    func forget() { state.withLock { $0 = State(forgotten: $0.forgotten + 1) } }

    /// A number that changes when everything is forgotten.
    var generation: Int { state.withLock { $0.forgotten } }

    /// How often passwords were seen in data breaches, for those that are remembered.
    var counts: [BreachedPasswordHash: Int] {
        let now = now()
        return state.withLock { $0.answers.filter { $0.value.end > now }.mapValues(\.count) }
    }

    /// Notes that the first digits of these hashes are sent, unless everything was forgotten since the hashes were read.
    ///
    /// - Parameters:
    ///   - asked: The hashes by their first digits.
    ///   - generation: The number when the hashes were read.
    func ask(_ asked: [String: [BreachedPasswordHash]], _ generation: Int) {
        state.withLock { if $0.forgotten == generation { $0.asked = asked } }
    }

    /// The hashes whose first digits are these.
    func asked(_ prefix: String) -> (hashes: [BreachedPasswordHash], generation: Int) {
        state.withLock { ($0.asked[prefix] ?? [], $0.forgotten) }
    }

    /// Remembers counts, unless everything was forgotten since the hashes were read.
    ///
    /// - Parameters:
    ///   - counts: How often each password was seen.
    ///   - generation: The number when the hashes were read.
    func remember(_ counts: [BreachedPasswordHash: Int], _ generation: Int) {
        let end = now().advanced(by: Self.rememberedFor)
        state.withLock { state in
            guard state.forgotten == generation else { return }
            for (hash, count) in counts { state.answers[hash] = Answer(count: count, end: end) }
        }
    }
}
