internal import Synchronization

/// The entries that other managers listed while they were unlocked, for use while they are locked.
///
/// They contain names but no secrets.
///
/// They are only in the agent's memory, for eight hours. The entries of a manager that is disabled are removed.
final class ProviderIndex: Sendable {
    /// How long an entry is remembered after its manager listed it.
    static let window = Duration.seconds(8 * 60 * 60)
    /// The maximum number of entries of one manager.
    static let limit = 1_000

    private struct Place: Hashable {
        var domain: String
        var kind: ProviderEntry.Kind
    }

    private struct Known {
        var entries: [ProviderEntry]
        var at: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let managers = Mutex<[String: [Place: Known]]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Remembers all entries that an unlocked manager listed for a query.
    func remember(_ entries: [ProviderEntry], of provider: String, for query: ProviderQuery) {
        let now = now()
        managers.withLock { managers in
            var known = (managers[provider] ?? [:]).filter { Self.counts($0.value, now) }
            for domain in query.domains {
                for kind in query.kinds {
                    let found = entries.filter { $0.domain == domain && $0.kind == kind }
                    known[Place(domain: domain, kind: kind)] =
                        found.isEmpty ? nil : Known(entries: found, at: now)
                }
            }
            while known.values.reduce(0, { $0 + $1.entries.count }) > Self.limit,
                let oldest = known.min(by: { $0.value.at < $1.value.at })?.key
            {
                known[oldest] = nil
            }
            managers[provider] = known
        }
    }

    /// The remembered entries of a manager for a query.
    func entries(of provider: String, for query: ProviderQuery) -> [ProviderEntry] {
        let now = now()
        return managers.withLock { managers in
            let known = managers[provider] ?? [:]
            return query.domains.flatMap { domain in
                query.kinds.sorted { $0.rawValue < $1.rawValue }.flatMap { kind -> [ProviderEntry] in
                    guard let found = known[Place(domain: domain, kind: kind)], Self.counts(found, now) else {
                        return []
                    }
                    return found.entries
                }
            }
        }
    }

    /// Removes the entries of all managers except these.
    func keepOnly(_ providers: [String]) {
        managers.withLock { managers in managers = managers.filter { providers.contains($0.key) } }
    }

    private static func counts(_ known: Known, _ now: ContinuousClock.Instant) -> Bool {
        known.at.duration(to: now) <= window
    }
}
