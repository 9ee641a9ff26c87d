internal import Synchronization
internal import WardAgentClient

/// When the vault locks by itself: some time after its last use, and at the latest some time after it was opened.
///
/// An answer of the person in a prompt counts as use, and so does a request of a manager program. A request of an app does not, so
/// that no app can keep the vault open; nor does a request that repeats by itself.
final class IdleLock: Sendable {
    private struct State {
        var lastUse: ContinuousClock.Instant
        /// When the vault was first seen open; `nil` while it is locked.
        var openSince: ContinuousClock.Instant?
        /// How many requests of manager programs are running.
        var inWork = 0
    }

    /// Seconds without use after which the vault locks; 0 for never.
    let idle: Int
    private let longest: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// - Parameters:
    ///   - idle: Seconds without use after which the vault locks; 0 for never.
    ///   - longest: Seconds after which the vault locks although it is in use; 0 for never.
    ///   - now: The clock.
    init(idle: Int, longest: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.idle, self.longest, self.now) = (idle, longest, now)
        state = Mutex(State(lastUse: now()))
    }

    /// A person answered.
    func used() {
        let now = now()
        state.withLock { $0.lastUse = now }
    }

    /// A manager program asks for something; the idle lock waits until the answer is there.
    func working<T>(_ body: () async throws -> T) async rethrows -> T {
        let now = now
        state.withLock { state in
            state.inWork += 1
            state.lastUse = now()
        }
        defer {
            state.withLock { state in
                state.inWork -= 1
                state.lastUse = now()
            }
        }
        return try await body()
    }

    /// Whether the vault is to be locked now; called every second with what the vault is.
    func isDue(isOpen: Bool) -> Bool {
        let now = now()
        return state.withLock { state in
            guard isOpen else {
                state.openSince = nil
                return false
            }
            let openSince = state.openSince ?? now
            state.openSince = openSince
            if Self.left(longest, since: openSince, now) == 0 { return true }
            return state.inWork == 0 && Self.left(idle, since: state.lastUse, now) == 0
        }
    }

    /// The vault was locked: the next opening begins anew.
    func locked() { state.withLock { $0.openSince = nil } }

    /// Seconds until the vault locks, if nobody uses it; `nil` for never.
    var secondsLeft: Int? {
        let now = now()
        return state.withLock { state in
            [Self.left(idle, since: state.lastUse, now), Self.left(longest, since: state.openSince ?? now, now)]
                .compactMap(\.self).min()
        }
    }

    /// Seconds until the vault locks in any case; `nil` for never.
    var secondsToLimit: Int? {
        let now = now()
        return state.withLock { Self.left(longest, since: $0.openSince ?? now, now) }
    }

    private static func left(_ limit: Int, since: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Int? {
        guard limit > 0 else { return nil }
        return max(0, limit - Int(clamping: since.duration(to: now).components.seconds))
    }
}

/// Asks through somebody else, and counts a yes as use of the vault.
struct CountedPrompting: Prompting {
    let base: any Prompting
    let idleLock: IdleLock

    func program(for place: PromptPlace) throws(AgentError) -> String { try base.program(for: place) }

    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer {
        let answer = try await base.ask(prompt, on: place)
        // A prompt that was refused, ran out or broke says nothing of a person who uses the vault.
        if (try? answer.assent()) != nil { idleLock.used() }
        return answer
    }
}
