internal import Synchronization
internal import WardAgentClient

/// The rules when the vault locks automatically: some time after its last use, and in any case some time after it was opened.
///
/// The person's answer in a prompt and a request of a manager program count as use. Requests of apps do not count, so no app
/// can keep the vault open. Requests that a program repeats by itself do not count either.
final class IdleLock: Sendable {
    private struct State {
        var lastUse: ContinuousClock.Instant
        /// The time when the vault was first seen open, or `nil` while it is locked.
        var openSince: ContinuousClock.Instant?
        /// The number of running requests of manager programs.
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

    /// A request of a manager program begins.
    ///
    /// The idle lock waits until the request is answered.
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

    /// Whether the vault must lock now.
    ///
    /// It is called every second with the vault's state.
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

    /// The vault was locked.
    ///
    /// The times start again when it is opened.
    func locked() { state.withLock { $0.openSince = nil } }

    /// Seconds until the vault locks if it is not used; `nil` if it does not lock.
    var secondsLeft: Int? {
        let now = now()
        return state.withLock { state in
            [Self.left(idle, since: state.lastUse, now), Self.left(longest, since: state.openSince ?? now, now)]
                .compactMap(\.self).min()
        }
    }

    /// Seconds until the vault locks in any case; `nil` if it does not lock.
    var secondsToLimit: Int? {
        let now = now()
        return state.withLock { Self.left(longest, since: $0.openSince ?? now, now) }
    }

    private static func left(_ limit: Int, since: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Int? {
        guard limit > 0 else { return nil }
        return max(0, limit - Int(clamping: since.duration(to: now).components.seconds))
    }
}

/// Shows prompts through another prompter, and counts an answer as use of the vault.
struct CountedPrompting: Prompting {
    let base: any Prompting
    let idleLock: IdleLock

    func program(for place: PromptPlace) throws(AgentError) -> String { try base.program(for: place) }

    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer {
        let answer = try await base.ask(prompt, on: place)
        // A prompt that was declined, timed out or failed does not count as use of the vault.
        if (try? answer.assent()) != nil { idleLock.used() }
        return answer
    }
}
