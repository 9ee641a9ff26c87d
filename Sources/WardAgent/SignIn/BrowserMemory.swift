internal import Synchronization
internal import WardVault
internal import WardWebAuthn

/// What the agent remembers of browsers; it is never written to disk.
///
/// Passwords that the person typed into pages wait here until the sign-in went through and the person agrees to save them.
final class BrowserMemory: Sendable {
    /// A password that the person typed into a page.
    struct Capture: Sendable {
        /// The browser, its process, and the tab.
        var place: BrowserPlace
        /// The page's origin, such as `https://login.example.com`.
        var origin: String
        var host: String
        /// The registrable domain.
        var site: String
        var user: String
        var password: SecretText
        /// The current password, if the form changes it.
        var current: SecretText?
    }

    /// A passkey that was created without a prompt.
    struct Upgrade: Hashable, Sendable {
        var browser: BrowserIdentity
        var credentialID: CredentialID
        /// The RP ID.
        var rpID: String
        /// The registrable domain.
        var site: String
        var user: String
    }

    private struct State {
        var captures: [String: (capture: Capture, at: ContinuousClock.Instant)] = [:]
        var upgrades: [(id: String, upgrade: Upgrade)] = []
    }

    /// How long a typed password is kept.
    static let window = Duration.seconds(300)
    /// The maximum number of typed passwords.
    static let limit = 64
    /// The maximum number of passkeys whose creation can be undone.
    static let upgradeLimit = 50

    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    // MARK: Typed passwords

    /// Keeps a password for five minutes; an earlier one of the same tab is forgotten.
    func keep(_ capture: Capture, as id: String) {
        let now = now()
        state.withLock { state in
            Self.prune(&state, now)
            state.captures = state.captures.filter {
                $0.value.capture.place.process != capture.place.process
                    || $0.value.capture.place.tab != capture.place.tab
            }
            if state.captures.count >= Self.limit,
                let oldest = state.captures.min(by: { $0.value.at < $1.value.at })?.key
            {
                state.captures[oldest] = nil
            }
            state.captures[id] = (capture, now)
        }
        // A password that nobody asks for again is forgotten too.
        Task { [weak self, sleep] in
            try? await sleep(Self.window + .seconds(1))
            self?.prune()
        }
    }

    /// A password that this running browser typed in the last minutes.
    func capture(_ id: String, of browser: BrowserProgram) -> Capture? {
        let now = now()
        return state.withLock { state in
            Self.prune(&state, now)
            guard let capture = state.captures[id]?.capture, capture.place.browser == browser.identity,
                capture.place.process == browser.process
            else { return nil }
            return capture
        }
    }

    /// The number of typed passwords in memory.
    var count: Int { state.withLock { $0.captures.count } }

    func forget(_ id: String) { state.withLock { $0.captures[id] = nil } }

    private func prune() {
        let now = now()
        state.withLock { Self.prune(&$0, now) }
    }

    private static func prune(_ state: inout State, _ now: ContinuousClock.Instant) {
        state.captures = state.captures.filter { $0.value.at.duration(to: now) <= window }
    }

    // MARK: Passkeys

    func note(_ upgrade: Upgrade, as id: String) {
        state.withLock { state in
            state.upgrades.insert((id, upgrade), at: 0)
            state.upgrades = Array(state.upgrades.prefix(Self.upgradeLimit))
        }
    }

    /// The passkeys that a browser's pages made without a prompt, latest first.
    func upgrades(of browser: BrowserIdentity) -> [(id: String, upgrade: Upgrade)] {
        state.withLock { $0.upgrades.filter { $0.upgrade.browser == browser } }
    }

    func forgetUpgrade(_ id: String) { state.withLock { state in state.upgrades.removeAll { $0.id == id } } }
}
