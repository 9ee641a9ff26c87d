internal import Synchronization
internal import WardAgentClient

/// The agent's memory of sign-ins and text fields; it is never written to disk.
final class SignInMemory: Sendable {
    /// A suggestion that was made to an app.
    struct Offer: Sendable {
        /// The app that received it; another program cannot use its ID.
        var app: AppIdentity.Result
        /// The suggested entry; `nil` for unlocking the vault and for a new password.
        var entry: ProviderEntry?
        /// The kind of request that it answers.
        var kind: AppRequest.Kind
        /// The domain.
        var domain: String
    }

    private struct State {
        var offers: [String: (offer: Offer, at: ContinuousClock.Instant)] = [:]
        var domains: Set<String> = []
    }

    /// How long an app may redeem a suggestion that it got for a text field.
    static let offerWindow = Duration.seconds(600)
    /// The maximum number of suggestions, and of domains.
    static let limit = 1_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    // MARK: Suggestions

    /// Stores a suggestion under an ID that nobody can guess.
    func remember(_ offer: Offer, as id: String) {
        let now = now()
        state.withLock { state in
            state.offers = state.offers.filter { $0.value.at.duration(to: now) <= Self.offerWindow }
            if state.offers.count >= Self.limit,
                let oldest = state.offers.min(by: { $0.value.at < $1.value.at })?.key
            {
                state.offers[oldest] = nil
            }
            state.offers[id] = (offer, now)
        }
    }

    /// A recent suggestion for this app.
    func offer(_ id: String, to app: AppIdentity.Result) -> Offer? {
        let now = now()
        return state.withLock { state in
            guard let (offer, time) = state.offers[id], offer.app == app,
                time.duration(to: now) <= Self.offerWindow
            else { return nil }
            return offer
        }
    }

    // MARK: Domains

    /// Records that the open vault had an entry for a domain.
    func noteVaultKnows(_ domain: String) {
        state.withLock { state in
            if state.domains.count < Self.limit { state.domains.insert(domain) }
        }
    }

    /// Whether the vault had an entry for one of the domains since the agent started.
    func vaultKnows(_ domains: [String]) -> Bool {
        state.withLock { state in domains.contains { state.domains.contains($0) } }
    }
}
