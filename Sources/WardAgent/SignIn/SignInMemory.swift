internal import Synchronization
internal import WardAgentClient

/// The agent's memory of sign-ins and text fields; it is never written to disk.
final class SignInMemory: Sendable {
    /// A suggestion that an app received.
    struct Offer: Sendable {
        /// The app or the page that received it.
        ///
        /// No other program, and no other frame of a browser, can use its ID.
        var recipient: Recipient
        /// The suggested entry.
        ///
        /// It is `nil` for the suggestions to unlock the vault and to generate a password.
        var entry: ProviderEntry?
        /// The kind of request that the suggestion answers.
        var kind: AppRequest.Kind
        var domain: String
        /// The origin of the page; `nil` for an app.
        var origin: String?
    }

    private struct State {
        var offers: [String: (offer: Offer, at: ContinuousClock.Instant)] = [:]
        var domains: Set<String> = []
    }

    /// How long an app may use a suggestion that it received for a text field.
    static let offerWindow = Duration.seconds(600)
    /// The maximum number of suggestions, and of domains.
    static let limit = 1_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    // MARK: Suggestions

    /// Stores a suggestion under a random ID that cannot be guessed.
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

    /// A suggestion that this app, or a page of this origin in this frame, received recently.
    func offer(_ id: String, to recipient: Recipient, at origin: String? = nil) -> Offer? {
        let now = now()
        return state.withLock { state in
            guard let (offer, time) = state.offers[id], offer.recipient == recipient, offer.origin == origin,
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
