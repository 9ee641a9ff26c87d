internal import Synchronization
package import WardAgentClient
package import WardDomains

/// Finds out which apps a domain lists, and remembers the result for a while.
///
/// A list is remembered for a day, an error for a minute, so a corrected file is read soon. If several requests need the same
/// domain, they wait for one download. Nothing is written to disk.
package actor AssociatedDomains {
    private enum Outcome: Sendable {
        case found(Set<String>)
        case refused(AgentError)
        case cancelled
    }

    private struct Entry {
        let outcome: Outcome
        let end: ContinuousClock.Instant
    }

    /// A download, and the number of requests that wait for it.
    ///
    /// If the last of them is cancelled, the download is cancelled.
    private final class Download: Sendable {
        let task: Task<Outcome, Never>
        private let waiting = Mutex(0)

        init(_ task: Task<Outcome, Never>) { self.task = task }

        func outcome() async -> Outcome {
            waiting.withLock { $0 += 1 }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                let isLast = waiting.withLock { waiting in
                    waiting -= 1
                    return waiting == 0
                }
                if isLast { task.cancel() }
            }
        }
    }

    /// How long a list is remembered, in seconds.
    static let foundFor = Duration.seconds(86_400)
    /// How long an error is remembered, in seconds.
    static let refusedFor = Duration.seconds(60)
    /// The maximum number of domains that are remembered.
    static let maximumEntries = 256
    /// The maximum number of downloads at the same time.
    static let maximumDownloads = 8

    private let fetch: AssociationFetch
    private let now: @Sendable () -> ContinuousClock.Instant
    private var entries: [RelyingPartyID: Entry] = [:]
    private var downloads: [RelyingPartyID: Download] = [:]

    /// Starts with an empty memory.
    package init(
        fetch: AssociationFetch,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.fetch = fetch
        self.now = now
    }

    /// The identifiers of the apps that a domain lists.
    ///
    /// - Throws: `AgentError` with `notAssociated` and the reason, `denied` when the request was withdrawn.
    package func apps(namedBy domain: RelyingPartyID) async throws(AgentError) -> Set<String> {
        if let entry = entries[domain] {
            if entry.end > now() { return try result(entry.outcome) }
            entries[domain] = nil
        }
        while true {
            let download = try download(of: domain)
            let outcome = await download.outcome()
            // The download has ended. The first request that continues removes it.
            if downloads[domain] === download { downloads[domain] = nil }
            if case .cancelled = outcome {
                guard !Task.isCancelled else { throw AgentError(.denied, "the request was withdrawn") }
                continue
            }
            return try result(outcome)
        }
    }

    /// The domains that are remembered to list an app.
    package func domains(naming identifier: String) -> [RelyingPartyID] {
        entries.filter { _, entry in
            guard case .found(let apps) = entry.outcome else { return false }
            return entry.end > now() && apps.contains(identifier)
        }
        .keys.sorted { $0.description < $1.description }
    }

    private func result(_ outcome: Outcome) throws(AgentError) -> Set<String> {
        switch outcome {
        case .found(let apps): return apps
        case .refused(let error): throw error
        case .cancelled: throw AgentError(.denied, "the request was withdrawn")
        }
    }

    /// The download in progress, or a new one.
    private func download(of domain: RelyingPartyID) throws(AgentError) -> Download {
        if let download = downloads[domain], !download.task.isCancelled { return download }
        guard downloads.count < Self.maximumDownloads else {
            throw AgentError(
                .notAssociated,
                "too many downloads of app lists from domains are in progress: try again in a moment"
            )
        }
        let fetch = fetch
        let download = Download(
            Task {
                let outcome = await Self.ask(domain, fetch)
                remember(outcome, of: domain)
                return outcome
            }
        )
        downloads[domain] = download
        return download
    }

    private static func ask(_ domain: RelyingPartyID, _ fetch: AssociationFetch) async -> Outcome {
        do {
            return .found(try AssociationFile.apps(in: try await fetch.document(domain), of: domain))
        } catch let error as AgentError {
            return .refused(error)
        } catch {
            return Task.isCancelled ? .cancelled : .refused(AssociationFile.refusal(error, of: domain))
        }
    }

    private func remember(_ outcome: Outcome, of domain: RelyingPartyID) {
        let time: Duration
        switch outcome {
        case .found: time = Self.foundFor
        case .refused: time = Self.refusedFor
        case .cancelled: return
        }
        if entries.count >= Self.maximumEntries, let first = entries.min(by: { $0.value.end < $1.value.end }) {
            entries[first.key] = nil
        }
        entries[domain] = Entry(outcome: outcome, end: now() + time)
    }
}
