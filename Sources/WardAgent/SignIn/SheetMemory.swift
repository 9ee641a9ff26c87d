internal import Synchronization
internal import WardAgentClient

/// What the agent remembers of sheets and text fields, as long as it lives and nowhere else.
final class SheetMemory: Sendable {
    /// A suggestion that was made to an app.
    struct Offer: Sendable {
        /// To which program; another one that learns the name gets nothing for it.
        var app: AppIdentity.Result
        /// What was suggested; `nil` for opening the vault, and for a new password.
        var entry: ProviderEntry?
        /// Which kind of request it answers.
        var kind: AppRequest.Kind
        /// For which domain.
        var domain: String
    }

    private struct State {
        var offers: [String: (offer: Offer, at: ContinuousClock.Instant)] = [:]
        var domains: Set<String> = []
    }

    /// For how long a suggestion can be taken.
    static let offerWindow = Duration.seconds(600)
    /// How many suggestions are remembered, and how many domains.
    static let limit = 1_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    // MARK: Suggestions

    /// Remembers a suggestion under a name that nobody guesses.
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

    /// A suggestion that was made to this very app, and not long ago.
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

    /// Remembers that the open vault had something for a domain.
    func noteVaultKnows(_ domain: String) {
        state.withLock { state in
            if state.domains.count < Self.limit { state.domains.insert(domain) }
        }
    }

    /// Whether the vault had something for one of them since the agent started.
    func vaultKnows(_ domains: [String]) -> Bool {
        state.withLock { state in domains.contains { state.domains.contains($0) } }
    }
}
