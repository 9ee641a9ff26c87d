internal import Synchronization
package import WardAgentClient
package import WardDomains

/// Which apps domains name, remembered for a while.
///
/// A list that was found counts for a day; a refusal for a minute, so that whoever mends the file need not wait. Requests that
/// come while a domain is being asked wait for the one download. Nothing goes to the disk.
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

    /// A download, and how many wait for it: with the last of them it ends.
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

    /// How long a list counts.
    static let foundFor = Duration.seconds(86_400)
    /// How long a refusal counts.
    static let refusedFor = Duration.seconds(60)
    /// How many domains are remembered.
    static let maximumEntries = 256
    /// How many domains are asked at the same time.
    static let maximumDownloads = 8

    private let fetch: AssociationFetch
    private let now: @Sendable () -> ContinuousClock.Instant
    private var entries: [RelyingPartyID: Entry] = [:]
    private var downloads: [RelyingPartyID: Download] = [:]

    /// Starts with nothing remembered.
    package init(
        fetch: AssociationFetch,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.fetch = fetch
        self.now = now
    }

    /// The identifiers of the apps that a domain names.
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
            // The one that was waited for is over, whoever sees it first.
            if downloads[domain] === download { downloads[domain] = nil }
            if case .cancelled = outcome {
                guard !Task.isCancelled else { throw AgentError(.denied, "the request was withdrawn") }
                continue
            }
            return try result(outcome)
        }
    }

    /// The domains that are remembered to name an app.
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

    /// The download that is under way, or a new one.
    private func download(of domain: RelyingPartyID) throws(AgentError) -> Download {
        if let download = downloads[domain], !download.task.isCancelled { return download }
        guard downloads.count < Self.maximumDownloads else {
            throw AgentError(.notAssociated, "too many domains are being asked for their apps: try again in a moment")
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
