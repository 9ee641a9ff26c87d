internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardWebAuthn

/// Makes guessing slow: after a few wrong passphrases in a row each further try has to wait, and a restart forgets nothing.
///
/// Three are free; then 5 seconds, doubling up to 15 minutes. It protects against whoever sits at the machine for a while or
/// can talk to the socket. Whoever has the vault's file guesses without asking the agent; what stands in their way is the
/// Secret Key and Argon2id.
final class AttemptLimiter: Sendable {
    private struct State: Codable {
        var failures = 0
        var last: Int64 = 0
    }

    private static let free = 3
    private static let most = 1000
    private static let longestWait: Int64 = 900

    private let path: String
    private let effects: Effects
    private let state: Mutex<State>

    init(path: String, effects: Effects) {
        self.path = path
        self.effects = effects
        var stored =
            (try? JSONDecoder().decode(State.self, from: Data(contentsOf: URL(fileURLWithPath: path)))) ?? State()
        // Whatever stands in the file, sums of these stay within range.
        stored.failures = min(max(0, stored.failures), Self.most)
        stored.last = min(max(0, stored.last), 1 << 40)
        state = Mutex(stored)
    }

    /// Refuses while it is too early for another try.
    ///
    /// - Throws: `AgentError` with `tooManyAttempts`.
    func check() throws(AgentError) {
        let wait = state.withLock { remaining($0) }
        guard wait == 0 else {
            throw AgentError(.tooManyAttempts, "too many wrong passphrases: try again in \(wait) seconds")
        }
    }

    /// Remembers a wrong passphrase, before anyone hears of it.
    func failed() {
        state.withLock { state in
            state.failures = min(state.failures + 1, Self.most)
            state.last = effects.now()
            save(state)
        }
    }

    /// Forgets the wrong ones.
    func succeeded() {
        state.withLock { state in
            guard state.failures > 0 else { return }
            state = State()
            save(state)
        }
    }

    private func remaining(_ state: State) -> Int64 {
        guard state.failures >= Self.free else { return 0 }
        let wait = min(Self.longestWait, 5 << Int64(min(state.failures - Self.free, 16)))
        let now = effects.now()
        // A clock that went back must not make anyone wait longer than the wait itself.
        let passed = now >= state.last ? now - state.last : 0
        return max(0, min(wait, wait - passed))
    }

    private func save(_ state: State) {
        guard let data = try? JSONEncoder().encode(state) else { return }
        let url = URL(fileURLWithPath: path)
        try? data.write(to: url, options: .atomic)
        unsafe chmod(path, 0o600)
    }
}
